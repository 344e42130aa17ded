import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withIdempotencyKey } from '../../../platform/context.ts';
import { sql } from '../../../platform/postgres/db.ts';
import { decodeDidKey } from '../../../tokens/did-key.ts';
import { isIssuerWebDid } from '../../../tokens/web-did.ts';
import { openToken } from '../../../workers/crypto/signature-jobs.ts';
import { testContext } from '../../support/harness.ts';
import { nextMillisecond } from '../../support/until.ts';
import { refuses } from '../credentials/credentials.fixture.ts';
import { newIssuer, PUBLIC_URL, startSigning } from './signing.fixture.ts';

const { db, did, open, signing } = await startSigning();
const MEMBERS = { members: ['iss', 'kid'], raw: [] };
const ALL = { limit: 1_000, with_total: true };

describe('creating an issuer', () => {
    it('makes a did:key that the account owns, with one active key', async () => {
        const { context, did: made, kid, keys, issuer_id } = await newIssuer(signing, 'key');
        assert.equal(made, `did:key:${kid}`);
        assert.deepEqual(new Uint8Array(keys[0]?.public_key ?? []), decodeDidKey(made));
        assert.equal(keys[0]?.state, 'active');
        assert.deepEqual(await did.filterOwned({ dids: [made] }, context), { dids: [made] });
        assert.equal((await signing.getIssuer({ issuer_id }, context)).did, made);
    });

    it('makes a did:web below the public URL', async () => {
        const { did: made, issuer_id } = await newIssuer(signing, 'web');
        assert.equal(made, `did:web:credentials.example:base:issuers:${issuer_id}`);
        assert.ok(isIssuerWebDid(made));
        const port = open({ publicUrl: 'http://localhost:8080' });
        const local = await newIssuer(port, 'web');
        assert.equal(local.did, `did:web:localhost%3A8080:issuers:${local.issuer_id}`);
        assert.ok(isIssuerWebDid(local.did), PUBLIC_URL);
    });

    it('refuses unknown methods, and did:web if the service has no host name', async () => {
        const create = (method: string, service = signing) =>
            service.createIssuer({ name: 'Registrar', method }, testContext());
        await refuses('invalid', create('ion'));
        for (const publicUrl of [
            undefined,
            'https://192.0.2.7',
            'https://[2001:db8::1]:8443',
            'https://a_b.example',
            'https://a.example/~b',
        ]) {
            await refuses('invalid', create('web', open({ publicUrl })));
        }
        await refuses('invalid', signing.createIssuer({ name: ' ', method: 'key' }, testContext()));
        await refuses(
            'unauthenticated',
            signing.createIssuer({ name: 'x', method: 'key' }, testContext({ user_id: undefined })),
        );
    });

    it('never exceeds the quota of the account, even if calls arrive at once', async () => {
        const quota = { free: 3, basic: 3, pro: 5, enterprise: 5 };
        const [one, other] = [open({ quota }), open({ quota })];
        const context = testContext();
        const calls = [one, other, one, other, one, other].map((service) =>
            service.createIssuer({ name: 'x', method: 'key' }, context).then(
                () => 'created',
                (error: { kind?: string }) => error.kind,
            ),
        );
        assert.deepEqual((await Promise.all(calls)).sort(), [
            ...Array(3).fill('created'),
            ...Array(3).fill('forbidden'),
        ]);
        assert.equal((await signing.listIssuers(ALL, context)).total, 3);
        assert.deepEqual(await other.getQuotas({}, context), { issuers: { used: 3, limit: 3 } });
        const stranger = await other.getQuotas({}, testContext({ tier: 'pro' }));
        assert.deepEqual(stranger, { issuers: { used: 0, limit: 5 } });
        await refuses('unauthenticated', other.getQuotas({}, testContext({ user_id: undefined })));
    });

    it('happens once for an Idempotency-Key, also if calls arrive at once', async () => {
        const context = testContext();
        const call = () =>
            open().createIssuer({ name: 'x', method: 'web' }, withIdempotencyKey(context, 'key-of-this-call'));
        const made = await Promise.all(Array.from({ length: 5 }, call));
        assert.equal(new Set(made.map(({ did: text }) => text)).size, 1);
        assert.equal((await signing.listIssuers(ALL, context)).total, 1);
        const other = withIdempotencyKey(context, 'key-of-this-call');
        await refuses('unprocessable', signing.createIssuer({ name: 'another', method: 'web' }, other));
    });
});

it('lists are in pages, newest first, and contain only issuers of the account', async () => {
    const context = testContext();
    const names = ['a', 'b', 'c', 'd', 'e'];
    for (const name of names) {
        await signing.createIssuer({ name, method: 'key' }, context);
        await nextMillisecond();
    }
    await newIssuer(signing, 'key');
    const seen: string[] = [];
    for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
        const page = await signing.listIssuers({ limit: 2, cursor, with_total: true }, context);
        assert.equal(page.total, 5);
        seen.push(...page.issuers.map(({ name }) => name));
        cursor = page.next_cursor;
    }
    assert.deepEqual(seen, names.toReversed());
    await refuses('invalid', signing.listIssuers({ limit: 2, cursor: 'x', with_total: false }, context));
});

it('an issuer of another account does not exist', async () => {
    const { issuer_id, kid, did: made } = await newIssuer(signing, 'web');
    const stranger = testContext();
    for (const id of [issuer_id, 'nobody', '01a1fac9-0ec3-7000-8c5d-2f7b9e0a6c11']) {
        await refuses('not_found', signing.getIssuer({ issuer_id: id }, stranger));
        await refuses('not_found', signing.rotateKey({ issuer_id: id }, stranger));
        await refuses('not_found', signing.markCompromised({ issuer_id: id, kid }, stranger));
        await refuses('not_found', signing.archiveIssuer({ issuer_id: id }, stranger));
    }
    await refuses('not_found', signing.sign({ did: made, payload: '{"a":1}' }, stranger));
    await refuses('not_found', signing.checkSigner({ did: made }, stranger));
    await refuses('not_found', signing.sign({ did: made, payload: '{"a":1}' }, testContext({ user_id: undefined })));
});

it('a token of a did:web begins with the kid of the key that has signed it, one of a did:key has none', async () => {
    const web = await newIssuer(signing, 'web');
    const signed = await signing.sign({ did: web.did, payload: `{"iss":"${web.did}"}` }, web.context);
    assert.equal(signed.kid, web.kid);
    const opened = openToken({ token: signed.token, byKid: true, ...MEMBERS });
    assert.deepEqual(opened.ok && opened.payload, { kid: web.kid, iss: web.did });
    const key = await newIssuer(signing, 'key');
    const plain = await signing.sign({ did: key.did, payload: '{"iss":"x"}' }, key.context);
    assert.equal(plain.kid, undefined);
    const own = openToken({ token: plain.token, did: key.did, ...MEMBERS });
    assert.deepEqual(own.ok && own.payload, { iss: 'x' });
    await refuses('invalid', signing.sign({ did: web.did, payload: '[]' }, web.context));
});

it('only the service itself signs status lists, always with the same key', async () => {
    const trusted = testContext({ user_id: undefined, trusted: true });
    const processes = Array.from({ length: 8 }, () => open());
    const keys = await Promise.all(processes.map((process) => process.getStatusKey({}, trusted)));
    const { did: own } = await signing.getStatusKey({}, trusted);
    for (const { did } of keys) assert.equal(did, own);
    const { token } = await open().signStatusList({ payload: JSON.stringify({ iss: own, sub: 'x' }) }, trusted);
    const [head = '', body = '', signature = ''] = token.split('.');
    assert.deepEqual(JSON.parse(String(Buffer.from(head, 'base64url'))), { alg: 'EdDSA', typ: 'statuslist+jwt' });
    const x = Buffer.from(decodeDidKey(own) ?? []).toString('base64url');
    const key = await crypto.subtle.importKey('jwk', { kty: 'OKP', crv: 'Ed25519', x }, 'Ed25519', false, ['verify']);
    const signed = Buffer.from(`${head}.${body}`);
    assert.ok(await crypto.subtle.verify('Ed25519', key, Buffer.from(signature, 'base64url'), signed));
    await refuses('forbidden', signing.signStatusList({ payload: '{}' }, testContext()));
    await refuses('forbidden', signing.signStatusList({ payload: '{}' }, testContext({ trusted: true })));
    for (const payload of ['{"sub":"x"}', '{"iss":"did:key:z6Mk"}', 'x']) {
        await refuses('invalid', signing.signStatusList({ payload }, trusted));
    }
    const rows = await db.rows(sql.unsafe`SELECT 1 FROM signing.issuers WHERE account IS NULL`);
    assert.equal(rows.length, 1);
    await refuses('not_found', signing.sign({ did: own, payload: '{"a":1}' }, trusted));
});
