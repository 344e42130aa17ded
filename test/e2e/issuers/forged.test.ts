import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { keyOpener } from '../../support/issuers/opened-keys.ts';
import { expectError, expectOk } from '../support/client.ts';
import { databaseUrlOf } from '../support/database.ts';
import { AUDIENCE } from '../support/presenting.ts';
import { signToken } from '../support/tokens.ts';
import { walletCalls } from '../support/wallet-calls.ts';
import { issue, newDid, newWallet, payloadOf, present, verify } from '../support/world.ts';
import { type Issuer, managing } from './issuers.fixture.ts';

const NOT_ITS_KEY = 'The key that signed the token is not one of its issuer.';
const NO_ISSUER = 'issuer_did is not a did:key with an Ed25519 public key.';

const { token, calls, issuer, issued } = await managing();
const other: Issuer = await expectOk(201, calls.create({ name: 'Other', method: 'web' }));
const own = await newDid(token);
const ownKid = own.did.slice('did:key:'.length);
const genuine = payloadOf((await issued()).credential);
const opener = await keyOpener({
    databaseUrl: databaseUrlOf('signing'),
    kek: process.env['E2E_KEK'] as string, // test/run.ts sets it
});
after(() => opener.close());

/** The private key of a managed issuer, which no caller ever has. */
async function privateKeyOf({ did }: Issuer): Promise<string> {
    const [key] = await opener.keysOf(did);
    return key?.seed.toString('base64') ?? assert.fail('no key');
}

describe('a token in the name of a did:web issuer', () => {
    const ofOther = async () => ({ private_key: await privateKeyOf(other), payload: { ...genuine, kid: other.kid } });
    const forgeries: Array<[name: string, forge: () => Promise<Parameters<typeof signToken>[0]>, error: string]> = [
        [
            'is invalid if somebody signed it and named his own key',
            async () => ({ private_key: own.private_key, payload: { ...genuine, kid: ownKid } }),
            NOT_ITS_KEY,
        ],
        ['is invalid if the key of another issuer signed it', ofOther, NOT_ITS_KEY],
        [
            'is invalid if it names a key of the issuer that did not sign it',
            async () => ({ private_key: own.private_key, payload: genuine }),
            'The signature is not valid.',
        ],
        [
            'is invalid if it names no key',
            async () => ({ private_key: await privateKeyOf(issuer), payload: { ...genuine, kid: undefined } }),
            'The token does not name the key of its issuer.',
        ],
        [
            'is invalid if its key has another form',
            async () => ({
                private_key: await privateKeyOf(issuer),
                payload: { ...genuine, kid: `did:key:${issuer.kid}` },
            }),
            'The token does not name the key of its issuer.',
        ],
    ];
    for (const [name, forge, expected] of forgeries) {
        it(name, async () => {
            const credential = signToken(await forge());
            const { valid, error } = await verify(token, credential, issuer.did);
            assert.deepEqual([valid, error], [false, expected]);
            const body = { items: [{ credential }] };
            const batch = { method: 'POST', path: '/v1/credentials/batch/verify', token, body };
            const { results } = await expectOk(200, batch);
            assert.deepEqual([results[0].valid, results[0].error], [false, expected]);
            const presented = { holder_did: other.did, credentials: [credential], audience: AUDIENCE };
            await expectError(400, { method: 'POST', path: '/v1/presentations', token, body: presented });
            const wallet = await newWallet(token);
            const add = { password: wallet.password, credential };
            await expectError(400, walletCalls(token).add(wallet.wallet_id, add));
        });
    }

    it('is valid if the key of the issuer signed it, wherever that happened', async () => {
        const credential = signToken({ private_key: await privateKeyOf(issuer), payload: genuine });
        assert.equal((await verify(token, credential, issuer.did)).valid, true);
    });

    it('is invalid for the verifier who expects another issuer', async () => {
        const { credential } = await issued();
        for (const { did } of [other, own]) assert.equal((await verify(token, credential, did)).valid, false);
    });
});

it('a presentation in the name of a did:web issuer is invalid if another key signed it', async () => {
    const { presentation } = await present(token, issuer, [(await issued()).credential]);
    const check = async (text: string) => {
        const body = { presentation: text, audience: AUDIENCE };
        return expectOk(200, { method: 'POST', path: '/v1/presentations/verify', token, body });
    };
    assert.equal((await check(presentation)).valid, true);
    const payload = { ...payloadOf(presentation), kid: ownKid };
    const { valid, error } = await check(signToken({ private_key: own.private_key, payload }));
    assert.equal(valid, false);
    assert.match(error, /not one of/);
});

it('the member kid of a did:key token means nothing', async () => {
    const { credential } = await issue(token, own);
    const payload = { ...payloadOf(credential), kid: issuer.kid };
    const forged = signToken({ private_key: own.private_key, payload });
    assert.equal((await verify(token, forged, own.did)).valid, true);
    assert.equal((await verify(token, forged, issuer.did)).valid, false);
});

it('a did:web of another host, or one that is no issuer here, is refused as before', async () => {
    const { credential } = await issued();
    const unknown = issuer.did.replace(/.{4}$/, '0000');
    const elsewhere = issuer.did.replace(/^did:web:[^:]+/, 'did:web:issuer.example');
    for (const did of ['did:web:issuer.example', elsewhere, unknown, 'did:example:1']) {
        const body = { credential, issuer_did: did };
        const { body: refusal } = await expectError(400, {
            method: 'POST',
            path: '/v1/credentials/verify',
            token,
            body,
        });
        assert.equal(refusal.error, NO_ISSUER);
    }
    const payload = { ...genuine, iss: elsewhere, kid: ownKid };
    const { results } = await expectOk(200, {
        method: 'POST',
        path: '/v1/credentials/batch/verify',
        token,
        body: { items: [{ credential: signToken({ private_key: own.private_key, payload }) }] },
    });
    assert.deepEqual([results[0].valid, results[0].error], [false, 'The keys of the issuer are not known.']);
});
