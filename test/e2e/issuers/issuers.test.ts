import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { expectError, expectOk, send } from '../support/client.ts';
import { aKey, aManagedIssuer, newAccount } from '../support/world.ts';
import { documentOf, type Issuer, issuerCalls, managing } from './issuers.fixture.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const token = await aKey();
const calls = issuerCalls(token);

describe('POST /v1/issuers', () => {
    it('creates a did:key, whose DID is its key, and never shows a private key', async () => {
        const made = await expectOk(201, calls.create({ name: '  Registrar ', method: 'key' }));
        const { issuer_id, did, kid, public_key, created_at, ...rest } = made;
        assert.match(issuer_id, UUID);
        assert.equal(did, `did:key:${kid}`);
        assert.equal(Buffer.from(public_key, 'base64').length, 32);
        assert.ok(Math.abs(Date.parse(created_at) - Date.now()) < 60_000);
        assert.deepEqual(rest, { alg: 'EdDSA', method: 'key', name: 'Registrar' });
        const resolved = await expectOk(200, { path: `/v1/did/${did}`, token, gateway: 1 });
        assert.equal(resolved.public_key, public_key);
    });

    it('creates a did:web, whose document is below the public URL', async () => {
        const made: Issuer = await expectOk(201, calls.create({ name: 'Registrar', method: 'web' }));
        assert.match(made.did, new RegExp(`^did:web:[^:]+:issuers:${made.issuer_id}$`));
        const document = await documentOf(made, 1);
        const id = `${made.did}#${made.kid}`;
        assert.equal(document.id, made.did);
        assert.deepEqual(document.verificationMethod, [
            { id, type: 'Ed25519VerificationKey2020', controller: made.did, publicKeyMultibase: made.kid },
        ]);
        assert.deepEqual([document.authentication, document.assertionMethod], [[id], [id]]);
    });

    it('refuses another method, and a name that is no name', async () => {
        for (const method of [undefined, 'ethr', 1, 'WEB']) {
            const body = { name: 'a', method };
            assert.match((await expectError(400, calls.create(body))).body.error, /method/);
        }
        for (const name of [undefined, '', '  ', 7, 'x'.repeat(256)]) {
            assert.match((await expectError(400, calls.create({ name, method: 'key' }))).body.error, /name/);
        }
    });

    it('admits as many issuers as the tier allows, however many calls come at once', async () => {
        const { token: session } = await newAccount();
        const { create, archive } = issuerCalls(session);
        const body = { name: 'one of many', method: 'web' };
        const answers = await Promise.all(Array.from({ length: 24 }, () => send(create(body))));
        const made = answers.filter(({ status }) => status === 201);
        const refused = answers.filter(({ status }) => status === 403);
        assert.deepEqual([made.length, refused.length], [20, 4]); // the free tier
        assert.match(refused[0]?.body.error ?? '', /20 issuers, archived ones included/);
        await expectOk(200, archive(made[0]?.data.issuer_id));
        await expectError(403, create(body));
    });
});

describe('GET /v1/issuers', () => {
    it('lists the issuers newest first with their keys, on every gateway', async () => {
        const { token: own, calls: mine, issuer: first } = await managing('key');
        const second: Issuer = await expectOk(201, mine.create({ name: 'Second', method: 'web' }));
        const { issuers, total } = await expectOk(200, mine.list('', { gateway: 1 }));
        assert.equal(total, 2);
        assert.deepEqual(
            issuers.map(({ did }: Issuer) => did),
            [second.did, first.did],
        );
        for (const shown of issuers) assert.deepEqual(await expectOk(200, mine.get(shown.issuer_id)), shown);
        const { kid, alg, public_key, created_at, ...issuer } = await expectOk(
            201,
            issuerCalls(own).create({ name: 'Third', method: 'web' }),
        );
        assert.deepEqual(await expectOk(200, mine.get(issuer.issuer_id)), {
            ...issuer,
            created_at,
            keys: [{ kid, alg, public_key, state: 'active', created_at }],
        });
    });

    it('is read in pages, each issuer once', async () => {
        const { calls: mine, issuer } = await managing();
        const made = [issuer.issuer_id];
        for (let more = 0; more < 4; more++) {
            made.unshift((await expectOk(201, mine.create({ name: 'more', method: 'key' }))).issuer_id);
        }
        const seen: string[] = [];
        for (let path: string | undefined = '/v1/issuers?limit=2'; path !== undefined; ) {
            const { data, headers } = await send({ ...mine.list(), path });
            assert.ok(data.issuers.length <= 2);
            assert.equal(data.total, 5);
            seen.push(...data.issuers.map(({ issuer_id }: Issuer) => issuer_id));
            path = /^<(\/[^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];
        }
        assert.deepEqual(seen, made);
    });
});

it('an issuer of another account does not exist for any call', async () => {
    const { issuer_id, kid } = await aManagedIssuer();
    for (const id of [issuer_id, '01a1faed-b57f-7000-bf74-e815627fa0af', 'x', issuer_id.toUpperCase()]) {
        for (const call of [calls.get(id), calls.rotate(id), calls.compromise(id, kid), calls.archive(id)]) {
            const { body } = await expectError(404, call);
            assert.equal(body.error, 'This issuer does not exist.');
        }
    }
    const { issuers } = await expectOk(200, calls.list());
    assert.ok(issuers.every((shown: Issuer) => shown.issuer_id !== issuer_id));
});

it('an API key needs issuers:read to read and issuers:manage to change, and neither lets it issue', async () => {
    const account = await newAccount();
    const keyWith = async (...scopes: string[]): Promise<string> => {
        const body = { name: 'key', tier: 'enterprise', scopes };
        return (await expectOk(201, { method: 'POST', path: '/v1/keys/generate', token: account.token, body })).api_key;
    };
    const [reader, manager] = [
        issuerCalls(await keyWith('issuers:read')),
        issuerCalls(await keyWith('issuers:manage')),
    ];
    const { issuer_id, did, kid } = await expectOk(201, manager.create({ name: 'Registrar', method: 'web' }));
    const lacks = async (scope: string, call: Parameters<typeof expectError>[1]) =>
        assert.equal((await expectError(403, call)).body.error, `This API key lacks the scope ${scope}.`);
    await lacks('issuers:manage', reader.create({ name: 'Registrar', method: 'web' }));
    await lacks('issuers:manage', reader.rotate(issuer_id));
    await lacks('issuers:manage', reader.compromise(issuer_id, kid));
    await lacks('issuers:manage', reader.archive(issuer_id));
    await lacks('issuers:read', manager.list());
    await lacks('issuers:read', manager.get(issuer_id));
    await lacks('credentials:issue', manager.issue(did));
    await expectOk(200, reader.list());
    await expectOk(200, reader.get(issuer_id));
    await expectOk(201, issuerCalls(await keyWith('credentials:issue')).issue(did));
});
