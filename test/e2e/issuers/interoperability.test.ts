import assert from 'node:assert/strict';
import https from 'node:https';
import { after, describe, it } from 'node:test';
import bs58 from 'bs58';
import { Resolver, type ResolverRegistry } from 'did-resolver';
import { verify as verifyByPasetoTs } from 'paseto-ts/v4';
import { getResolver } from 'web-did-resolver';
import { startPublicHost } from '../../support/issuers/public-host.ts';
import { expectOk, GATEWAYS } from '../support/client.ts';
import { openToken as verifyByPaseto } from '../support/tokens.ts';
import { payloadOf, present } from '../support/world.ts';
import { managing } from './issuers.fixture.ts';

/** The code of Ed25519 public keys in front of the bytes of a key (multicodec). */
const ED25519_PUBLIC = [0xed, 0x01];

/** Returns the public key of a verification method, in base64. Uses no code of the service. */
function publicKeyIn(multibase: string | undefined): string {
    assert.equal(multibase?.[0], 'z'); // base58btc
    const bytes = Buffer.from(bs58.decode(multibase.slice(1)));
    assert.deepEqual([...bytes.subarray(0, 2)], ED25519_PUBLIC);
    return bytes.subarray(2).toString('base64');
}

/** Verifies a token with two implementations of PASETO. Returns its payload. */
async function verified(token: string, publicKey: string): Promise<Record<string, unknown>> {
    const paserk = `k4.public.${Buffer.from(publicKey, 'base64').toString('base64url')}`;
    const { payload } = verifyByPasetoTs(paserk, token);
    assert.deepEqual(payload, await verifyByPaseto(token, publicKey));
    return payload;
}

describe('a token of a managed issuer', () => {
    for (const method of ['key', 'web'] as const) {
        it(`of did:${method} is verified by paseto and paseto-ts`, async () => {
            const { token, issuer, issued } = await managing(method);
            const { credential } = await issued();
            const { presentation } = await present(token, issuer, [credential]);
            for (const text of [credential, presentation]) {
                const payload = await verified(text, issuer.public_key);
                assert.deepEqual(payload, payloadOf(text));
                assert.equal(payload['iss'], issuer.did);
            }
            const { public_key: other } = (await managing(method)).issuer;
            await assert.rejects(verified(credential, other));
        });
    }
});

describe('the document of a did:web issuer', async () => {
    const { calls, issuer, issued } = await managing();
    const [, , host = ''] = issuer.did.split(':');
    const publicHost = await startPublicHost({ host, target: GATEWAYS[0] as string }); // there are two
    const { globalAgent } = https;
    https.globalAgent = publicHost.agent; // web-did-resolver requests https://<host>/issuers/<id>/did.json through it
    after(() => {
        https.globalAgent = globalAgent;
        publicHost.close();
    });
    const resolver = new Resolver(getResolver() as unknown as ResolverRegistry); // typed for an older did-resolver
    const keyOf = async (kid: unknown): Promise<string> => {
        const { didDocument, didResolutionMetadata } = await resolver.resolve(issuer.did);
        assert.equal(didResolutionMetadata.error, undefined, didResolutionMetadata['message']);
        const methods = didDocument?.verificationMethod ?? [];
        const found = methods.find(({ id }) => id === `${issuer.did}#${kid}`);
        return publicKeyIn(found?.publicKeyMultibase);
    };

    it('is resolved by web-did-resolver over HTTPS, and its key verifies a token', async () => {
        const { credential } = await issued();
        const { kid } = payloadOf(credential);
        assert.equal((await verified(credential, await keyOf(kid)))['iss'], issuer.did);
    });

    it('has the keys of old and new tokens after a rotation, and not a compromised one', async () => {
        const old = await issued();
        await expectOk(201, calls.rotate(issuer.issuer_id));
        const next = await issued();
        for (const { credential } of [old, next]) {
            await verified(credential, await keyOf(payloadOf(credential)['kid']));
        }
        await expectOk(200, calls.compromise(issuer.issuer_id, issuer.kid));
        await assert.rejects(keyOf(issuer.kid));
        await verified(next.credential, await keyOf(payloadOf(next.credential)['kid']));
    });
});
