import assert from 'node:assert/strict';
import { createPublicKey } from 'node:crypto';
import { describe, it } from 'node:test';
import { compactVerify } from 'jose';
import { withIdempotencyKey } from '../../../platform/context.ts';
import { decodeP256DidKey } from '../../../tokens/p256-did-key.ts';
import { testContext } from '../../support/harness.ts';
import { refuses } from '../credentials/credentials.fixture.ts';
import { newIssuer, startSigning } from './signing.fixture.ts';

const { open, signing } = await startSigning();
/** Another process of the service. It remembers issuers by itself. */
const other = open();

const typ = 'dc+sd-jwt';
const payload = '{"iss":"https://issuer.example","vct":"urn:a"}';
const trusted = () => testContext({ trusted: true });
type Key = Awaited<ReturnType<typeof newIssuer>>['keys'][number] | undefined;

/** Returns header and payload of a JWS, as jose verifies it with this key. */
async function verified(token: string, key: Key) {
    const der = Buffer.concat([Buffer.from(SPKI[key?.alg ?? ''] ?? '', 'hex'), key?.public_key ?? Buffer.alloc(0)]);
    const publicKey = createPublicKey({ key: der, format: 'der', type: 'spki' });
    const { protectedHeader, payload: bytes } = await compactVerify(token, publicKey);
    return { header: protectedHeader, payload: Buffer.from(bytes).toString() };
}
/** What stands before a key in a SubjectPublicKeyInfo. */
const SPKI: Record<string, string> = {
    EdDSA: '302a300506032b6570032100',
    ES256: '3039301306072a8648ce3d020106082a8648ce3d030107032200',
};

describe('keys of ES256', () => {
    it('are made by a rotation, beside the key of EdDSA, and each is rotated by itself', async () => {
        const { did, issuer_id, kid, context } = await newIssuer(signing, 'web', trusted());
        const first = await signing.rotateKey({ issuer_id, alg: 'ES256' }, context);
        assert.equal(first.previous, undefined);
        assert.equal(first.key?.alg, 'ES256');
        assert.deepEqual(
            Buffer.from(first.key.public_key),
            Buffer.from(decodeP256DidKey(`did:key:${first.key.kid}`) ?? []),
        );
        assert.equal((await other.sign({ did, payload }, context)).kid, kid, 'PASETO tokens keep their key');
        const second = await other.rotateKey({ issuer_id, alg: 'ES256' }, context);
        assert.equal(second.previous, first.key.kid);
        const third = await signing.rotateKey({ issuer_id }, context);
        assert.equal(third.previous, kid);
        const { keys } = await signing.getIssuer({ issuer_id }, context);
        assert.deepEqual(
            new Map(keys.map((key) => [key.kid, `${key.alg} ${key.state}`])),
            new Map([
                [kid, 'EdDSA retired'],
                [first.key.kid, 'ES256 retired'],
                [second.key?.kid ?? '', 'ES256 active'],
                [third.key?.kid ?? '', 'EdDSA active'],
            ]),
        );
    });

    it('leave one active key for each algorithm, however many calls arrive at once', async () => {
        const { issuer_id, context } = await newIssuer(signing, 'web');
        await Promise.all(
            [signing, other, signing, other].map((service, number) =>
                service.rotateKey({ issuer_id, ...(number > 1 && { alg: 'ES256' }) }, context),
            ),
        );
        const { keys } = await signing.getIssuer({ issuer_id }, context);
        const active = keys.filter(({ state }) => state === 'active').map(({ alg }) => alg);
        assert.deepEqual(active.sort(), ['ES256', 'EdDSA']);
    });

    it('may be the first key of a did:web. Then PASETO tokens wait for a key of EdDSA', async () => {
        const context = trusted();
        const issuer = await signing.createIssuer({ name: 'Wallets only', method: 'web', alg: 'ES256' }, context);
        assert.deepEqual(
            issuer.keys.map(({ alg }) => alg),
            ['ES256'],
        );
        const { did, issuer_id } = issuer;
        await assert.rejects(signing.sign({ did, payload }, context), {
            kind: 'conflict',
            detail: 'This issuer has no active EdDSA key. Rotate it with alg EdDSA first.',
        });
        await refuses('conflict', signing.checkSigner({ did }, context));
        const { key } = await signing.rotateKey({ issuer_id, alg: 'EdDSA' }, context);
        assert.equal((await signing.sign({ did, payload }, context)).kid, key?.kid);
    });

    it('are rotated without an algorithm if the issuer never had another one', async () => {
        const context = trusted();
        const created = await signing.createIssuer({ name: 'Wallets only', method: 'web', alg: 'ES256' }, context);
        const { issuer_id, keys } = created;
        const rotated = (alg?: string) =>
            signing.rotateKey({ issuer_id, ...(alg && { alg }) }, withIdempotencyKey(context, 'without'));
        const { key, previous } = await rotated();
        assert.deepEqual([key?.alg, previous], ['ES256', keys[0]?.kid]);
        assert.deepEqual(await rotated(), { key, previous });
        await refuses('unprocessable', rotated('EdDSA'));
        await signing.markCompromised({ issuer_id, kid: key?.kid ?? '' }, context);
        assert.equal((await signing.rotateKey({ issuer_id }, context)).key?.alg, 'ES256');
    });

    it('are refused for a did:key, as are unknown algorithms', async () => {
        const { issuer_id, context } = await newIssuer(signing, 'web');
        await refuses('invalid', signing.createIssuer({ name: 'a', method: 'key', alg: 'ES256' }, context));
        for (const alg of ['', 'es256', 'RS256', 'none']) {
            await refuses('invalid', signing.createIssuer({ name: 'a', method: 'web', alg }, context));
            await refuses('invalid', signing.rotateKey({ issuer_id, alg }, context));
        }
    });

    it('are the same call as another algorithm only if that is the default', async () => {
        const { issuer_id, context } = await newIssuer(signing, 'web');
        const call = (alg?: string) =>
            signing.rotateKey({ issuer_id, ...(alg && { alg }) }, withIdempotencyKey(context, 'once'));
        assert.deepEqual(await call('EdDSA'), await call());
        await refuses('unprocessable', call('ES256'));
    });

    it('verify nothing after they are compromised, and are in the list of keys', async () => {
        const { did, issuer_id, kid, context } = await newIssuer(signing, 'web', trusted());
        const { key } = await signing.rotateKey({ issuer_id, alg: 'ES256' }, context);
        const p256 = key?.kid ?? '';
        assert.equal((await other.signJws({ did, typ, payload }, context)).kid, p256);
        const marked = await signing.markCompromised({ issuer_id, kid: p256, reason: 'leaked' }, context);
        assert.deepEqual([marked.state, marked.alg], ['compromised', 'ES256']);
        const { issuers } = await signing.getKeys({ dids: [did] }, context);
        assert.deepEqual(issuers, [{ did, kids: [kid], compromised_kids: [p256], list_kid: kid }]);
        assert.equal((await other.signJws({ did, typ, payload }, context)).kid, kid, 'the other algorithm goes on');
        await refuses('conflict', other.signJws({ did, typ, payload, kid: p256 }, context));
    });
});

describe('SignJws', () => {
    it('signs with either algorithm, and names the key by its DID URL', async () => {
        const { did, issuer_id, keys, context } = await newIssuer(signing, 'web', trusted());
        const [ed25519] = keys;
        const before = await signing.signJws({ did, typ, payload }, context);
        assert.deepEqual(await verified(before.token, ed25519), {
            header: { alg: 'EdDSA', typ, kid: `${did}#${ed25519?.kid}` },
            payload,
        });
        const { key: p256 } = await signing.rotateKey({ issuer_id, alg: 'ES256' }, context);
        for (const [asked, key] of [
            [undefined, p256],
            [p256?.kid, p256],
            [ed25519?.kid, ed25519],
        ] as const) {
            const { token, kid } = await other.signJws({ did, typ, payload, kid: asked }, context);
            assert.equal(kid, key?.kid);
            assert.deepEqual((await verified(token, key)).header, { alg: key?.alg, typ, kid: `${did}#${kid}` });
        }
    });

    it('signs again with a key that is retired', async () => {
        const { did, issuer_id, context } = await newIssuer(signing, 'web', trusted());
        const { key } = await signing.rotateKey({ issuer_id, alg: 'ES256' }, context);
        const { kid } = await signing.signJws({ did, typ, payload }, context);
        await signing.rotateKey({ issuer_id, alg: 'ES256' }, context);
        const again = await signing.signJws({ did, typ, payload, kid }, context);
        assert.equal(again.kid, key?.kid);
        assert.equal((await verified(again.token, key)).payload, payload);
        await refuses('conflict', signing.signJws({ did, typ, payload, kid: 'zDnaenobody' }, context));
    });

    it('signs only what it knows, for trusted callers, and in the name of their own did:web issuers', async () => {
        const web = await newIssuer(signing, 'web', trusted());
        const key = await newIssuer(signing, 'key', web.context);
        const { did, context } = web;
        await refuses('forbidden', signing.signJws({ did, typ, payload }, { ...context, trusted: false }));
        await refuses('not_found', signing.signJws({ did, typ, payload }, trusted()));
        await refuses('invalid', signing.signJws({ did: key.did, typ, payload }, context));
        for (const other of ['', 'JWT', 'statuslist+jwt', 'vc+sd-jwt']) {
            await refuses('invalid', signing.signJws({ did, typ: other, payload }, context));
        }
        for (const other of ['', '{}', '[1]', '"a"', ' {"a":1}']) {
            await refuses('invalid', signing.signJws({ did, typ, payload: other }, context));
        }
        const large = JSON.stringify({ a: 'é'.repeat(1 << 17) });
        await refuses('too_large', signing.signJws({ did, typ, payload: large }, context));
        await signing.archiveIssuer({ issuer_id: web.issuer_id }, context);
        await refuses('conflict', signing.signJws({ did, typ, payload }, context));
    });
});
