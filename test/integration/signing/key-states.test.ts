import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withIdempotencyKey } from '../../../platform/context.ts';
import { sql } from '../../../platform/postgres/db.ts';
import { testContext } from '../../support/harness.ts';
import { refuses } from '../credentials/credentials.fixture.ts';
import { newIssuer, startSigning } from './signing.fixture.ts';

const { db, open, signing } = await startSigning();
/** Another process of the service. It remembers issuers by itself. */
const other = open();

const kidsOf = async (did: string) => (await signing.getKeys({ dids: [did] }, testContext())).issuers[0];

describe('rotating a key', () => {
    it('lets every process sign with the new key after the answer, and keeps the old one for verifying', async () => {
        const { did, issuer_id, kid, context } = await newIssuer(signing, 'web');
        const payload = '{"a":1}';
        assert.equal((await other.sign({ did, payload }, context)).kid, kid);
        const { key, previous } = await signing.rotateKey({ issuer_id }, context);
        assert.equal(previous, kid);
        for (const service of [signing, other])
            assert.equal((await service.sign({ did, payload }, context)).kid, key?.kid);
        assert.deepEqual(new Set((await kidsOf(did))?.kids), new Set([kid, key?.kid]));
        const { keys } = await signing.getIssuer({ issuer_id }, context);
        assert.deepEqual(
            keys.map(({ state }) => state),
            ['active', 'retired'],
        );
    });

    it('signs again what the retired key has signed, with that key', async () => {
        const { did, issuer_id, kid, context } = await newIssuer(signing, 'web');
        const first = await signing.sign({ did, payload: '{"a":1}' }, context);
        await signing.rotateKey({ issuer_id }, context);
        assert.deepEqual(await signing.sign({ did, payload: '{"a":1}', kid }, context), first);
        await refuses('conflict', signing.sign({ did, payload: '{"a":1}', kid: 'z6Mknobody' }, context));
    });

    it('leaves one active key, however many calls arrive at once', async () => {
        const { did, issuer_id, context } = await newIssuer(signing, 'web');
        await Promise.all([signing, other, signing, other].map((service) => service.rotateKey({ issuer_id }, context)));
        const { keys } = await signing.getIssuer({ issuer_id }, context);
        assert.equal(keys.length, 5);
        const active = keys.filter(({ state }) => state === 'active');
        assert.equal(active.length, 1);
        assert.equal((await other.sign({ did, payload: '{"a":1}' }, context)).kid, active[0]?.kid);
    });

    it('happens once for an Idempotency-Key', async () => {
        const { issuer_id, context } = await newIssuer(signing, 'web');
        const call = () => signing.rotateKey({ issuer_id }, withIdempotencyKey(context, 'rotation-of-november'));
        const [one, two] = await Promise.all([call(), call()]);
        assert.deepEqual(one, two);
        assert.deepEqual(await call(), one);
        assert.equal((await signing.getIssuer({ issuer_id }, context)).keys.length, 2);
    });

    it('is refused for a did:key, for an archived issuer, and after a hundred keys unless none is active', async () => {
        const key = await newIssuer(signing, 'key');
        await refuses('conflict', signing.rotateKey({ issuer_id: key.issuer_id }, key.context));
        const { issuer_id, kid, context } = await newIssuer(signing, 'web');
        await db.rows(sql.unsafe`
            INSERT INTO signing.keys (kid, issuer, sealed, data_key, created_at, retired_at)
            SELECT 'old' || n, issuer, sealed, data_key, created_at, now() FROM signing.keys, generate_series(1, 99) AS n
            WHERE kid = ${kid}`);
        await refuses('conflict', signing.rotateKey({ issuer_id }, context));
        await signing.markCompromised({ issuer_id, kid }, context);
        assert.equal((await signing.rotateKey({ issuer_id }, context)).previous, undefined);
        await db.rows(sql.unsafe`DELETE FROM signing.keys WHERE kid LIKE 'old%'`);
        await signing.archiveIssuer({ issuer_id }, context);
        await refuses('conflict', signing.rotateKey({ issuer_id }, context));
    });
});

describe('a compromised key', () => {
    it('verifies nothing and signs nothing again after the answer, in every process', async () => {
        const { did, issuer_id, kid, context } = await newIssuer(signing, 'web');
        await other.sign({ did, payload: '{"a":1}' }, context);
        const marked = await signing.markCompromised({ issuer_id, kid, reason: 'leaked' }, context);
        assert.deepEqual([marked.state, marked.reason], ['compromised', 'leaked']);
        assert.deepEqual(await kidsOf(did), { did, kids: [], compromised_kids: [kid], list_kid: undefined });
        assert.deepEqual((await signing.getPublicIssuer({ issuer_id }, testContext())).keys, []);
        for (const service of [signing, other]) {
            await refuses('conflict', service.sign({ did, payload: '{"a":1}' }, context));
            await refuses('conflict', service.sign({ did, payload: '{"a":1}', kid }, context));
        }
        const { key, previous } = await signing.rotateKey({ issuer_id }, context);
        assert.equal(previous, undefined);
        assert.equal((await other.sign({ did, payload: '{"a":1}' }, context)).kid, key?.kid);
    });

    it('keeps its first time and reason', async () => {
        const { issuer_id, kid, context } = await newIssuer(signing, 'web');
        const first = await signing.markCompromised({ issuer_id, kid }, context);
        assert.equal(first.reason, undefined);
        assert.deepEqual(await signing.markCompromised({ issuer_id, kid, reason: 'again' }, context), first);
    });

    it('is one of the issuer, and not that of a did:key', async () => {
        const { issuer_id, context } = await newIssuer(signing, 'web');
        const foreign = await newIssuer(signing, 'web');
        for (const kid of [foreign.kid, '\0', '', 'x'.repeat(100_000)]) {
            await refuses('not_found', signing.markCompromised({ issuer_id, kid }, context));
        }
        const reason = 'x'.repeat(2_001);
        await refuses('invalid', signing.markCompromised({ issuer_id, kid: foreign.kid, reason }, context));
        const key = await newIssuer(signing, 'key');
        await refuses('conflict', signing.markCompromised({ issuer_id: key.issuer_id, kid: key.kid }, key.context));
    });
});

it('an archived issuer signs no more in any process, and its signatures still verify', async () => {
    for (const method of ['key', 'web'] as const) {
        const { did, issuer_id, kid, context } = await newIssuer(signing, method);
        await other.sign({ did, payload: '{"a":1}' }, context);
        const archived = await signing.archiveIssuer({ issuer_id }, context);
        assert.ok(archived.archived_at);
        assert.deepEqual(await signing.archiveIssuer({ issuer_id }, context), archived);
        for (const service of [signing, other])
            await refuses('conflict', service.sign({ did, payload: '{"a":1}' }, context));
        await refuses('conflict', other.checkSigner({ did }, context));
        if (method === 'web') assert.deepEqual((await kidsOf(did))?.kids, [kid]);
    }
});

it('the keys of a did:key, of an unknown DID and of a foreign did:web are not known', async () => {
    const key = await newIssuer(signing, 'key');
    const web = await newIssuer(signing, 'web');
    const dids = [key.did, 'did:web:nobody.example', web.did, web.did];
    const { issuers } = await signing.getKeys({ dids }, testContext());
    assert.deepEqual(issuers, [{ did: web.did, kids: [web.kid], compromised_kids: [], list_kid: web.kid }]);
    await refuses('invalid', signing.getKeys({ dids: Array(101).fill(web.did) }, testContext()));
    await refuses('not_found', signing.getPublicIssuer({ issuer_id: key.issuer_id }, testContext()));
});
