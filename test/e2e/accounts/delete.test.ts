import assert from 'node:assert/strict';
import { hash, randomUUID } from 'node:crypto';
import { after, describe, it } from 'node:test';
import { redisOf } from '../../../proof/canaries/places.ts';
import { type DidDocument, verifyCredential } from '../../../verify/src/verify.ts';
import { until } from '../../support/until.ts';
import { type Call, expectError, expectOk, GATEWAYS, service } from '../support/client.ts';
import { connected, database, databaseUrls } from '../support/database.ts';
import { call, closeClients } from '../support/grpc.ts';
import {
    aKey,
    type Issued,
    issue,
    login,
    newAccount,
    newDid,
    newEmail,
    newKey,
    newWallet,
    present,
    store,
    verify,
} from '../support/world.ts';

after(closeClients);

const deletion = (token: string, body: unknown, gateway = 0): Call => ({
    method: 'DELETE',
    path: '/v1/me',
    token,
    body,
    gateway,
});

const loginOf = (input: object): Call => ({
    method: 'POST',
    path: '/internal/v1/auth/login',
    internal: true,
    body: input,
});

/** Lets the erasure begin at once, and waits until it is finished. */
async function finishErasure(account: string): Promise<void> {
    const client = await database('identity');
    const aged = await client.query(
        `UPDATE identity.erasures SET ended_at = now() - interval '1 minute' WHERE account = $1 AND ended_at IS NOT NULL`,
        [account],
    );
    assert.equal(aged.rowCount, 1);
    await until('the account is erased', async () => {
        const { rows } = await client.query('SELECT finished_at FROM identity.erasures WHERE account = $1', [account]);
        return rows[0]?.finished_at !== null;
    });
}

describe('DELETE /v1/me', () => {
    it('refuses the sessions and keys of the account on the next call of every gateway, and frees its email', async () => {
        const account = await newAccount();
        const { token: second } = await login(account);
        const { api_key } = await newKey(account);
        const { did } = await newDid(account.token);
        const uses = [0, 1].flatMap((gateway): Call[] => [
            { path: '/v1/me', token: account.token, gateway },
            { path: '/v1/me', token: second, gateway },
            { path: `/v1/did/${did}`, token: api_key, gateway },
        ]);
        for (const use of uses) await expectOk(200, use);
        const body = { password: account.password, confirm: 'delete' };
        const answer = await expectOk(200, deletion(account.token, body, 1));
        assert.equal(answer.user_id, account.user_id);
        assert.ok(Math.abs(Date.parse(answer.erased_at) - Date.now()) < 300_000);
        for (const use of uses) await expectError(401, use);
        await expectError(401, deletion(account.token, body));
        const credentials = { email: account.email, password: account.password };
        const unknown = await expectError(401, loginOf({ ...credentials, email: newEmail() }));
        assert.deepEqual((await expectError(401, loginOf(credentials))).body, unknown.body);
        await assert.rejects(service.internal.auth.refresh({ refresh_token: account.refresh_token }), { status: 401 });
        const again = await service.internal.auth.register(credentials);
        assert.notEqual(again.user_id, account.user_id);
        assert.equal((await service.as(await login(account)).me.get()).user_id, again.user_id);
    });

    it('refuses bodies that do not confirm it, wrong passwords and API keys, and changes nothing', async () => {
        const account = await newAccount();
        const { api_key } = await newKey(account);
        const { password } = account;
        const bodies = [undefined, {}, { password }, { confirm: 'delete' }, { password: 7, confirm: 'delete' }, []];
        const confirmations = ['Delete', 'yes', '', null, true].map((confirm) => ({ password, confirm }));
        for (const body of [...bodies, ...confirmations]) await expectError(400, deletion(account.token, body));
        const body = { password, confirm: 'delete' };
        await expectError(401, deletion(account.token, { ...body, password: 'wrong' }));
        await expectError(401, deletion(api_key, body));
        await expectError(401, { method: 'DELETE', path: '/v1/me', body });
        await expectError(401, { ...deletion(account.token, body), internal: true, token: undefined });
        await expectOk(200, { path: '/v1/me', token: account.token });
        for (let wrong = 0; wrong < 10; wrong++)
            await expectError(wrong < 9 ? 401 : 429, deletion(account.token, { ...body, password: 'wrong' }));
        await expectError(429, deletion(account.token, body));
        await expectOk(200, { path: '/v1/me', token: account.token });
    });
});

/** The revocation that the public status list of a credential shows to everybody who has the DID document. */
async function publicStatus({ credential, issuer, status }: Issued, document: DidDocument) {
    const list = status?.status_list ?? assert.fail('the credential has no place');
    const response = await fetch(`${GATEWAYS[0]}${new URL(list.uri).pathname}`);
    const documents = [document];
    return (await verifyCredential(credential, { issuer, documents, status: await response.text() })).status;
}

/** Every row of every table of the service, and all of its Redis, as text. */
async function everything(): Promise<string> {
    const texts: string[] = [];
    for (const url of databaseUrls()) {
        const client = await connected(url);
        const { rows: tables } = await client.query(`
            SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
            WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')`);
        for (const { name } of tables) {
            const { rows } = await client.query(`SELECT string_agg(t::text, E'\n') AS text FROM ${name} AS t`);
            texts.push(rows[0].text ?? '');
        }
    }
    const { E2E_REDIS_URL } = process.env;
    if (E2E_REDIS_URL) {
        const keys = await redisOf(E2E_REDIS_URL);
        assert.ok(
            keys.some(({ name }) => name.startsWith('guard:')),
            'this Redis has no failed logins, so it is not that of the service',
        );
        for (const { bytes } of keys) texts.push(Buffer.from(bytes).toString('latin1'));
    }
    return texts.join('\n');
}

describe('an erased account', () => {
    it('leaves nothing about people in the stores, and its credentials are as valid as before', async () => {
        const canary = (name: string) => `${name}-${randomUUID()}`;
        const names = {
            email: newEmail(),
            name: canary('name'),
            key: canary('key'),
            issuer: canary('issuer'),
            subject: `did:web:${canary('subject')}.example`,
            type: `Type${randomUUID().replaceAll('-', '')}`,
            reason: canary('reason'),
            leak: canary('leak'),
            wallet: canary('wallet'),
            audience: `did:web:${canary('audience')}.example`,
            repeated: canary('repeated'),
        };
        const password = 'correct horse battery';
        await expectError(401, loginOf({ email: names.email, password })); // nobody has this address yet
        const { user_id } = await service.internal.auth.register({ email: names.email, password, name: names.name });
        const { token } = await login({ email: names.email, password });
        const me = service.as({ token });
        const headers = { 'idempotency-key': names.repeated };
        await expectOk(201, { method: 'POST', path: '/v1/keys/generate', token, body: { name: names.key }, headers });
        const claims = async () => {
            const client = await database('keys');
            return (await client.query('SELECT FROM keys.idempotency WHERE claimant = $1', [user_id])).rowCount;
        };
        assert.equal(await claims(), 1);
        const issuer = await me.issuers.create({ name: names.issuer, method: 'web' });
        await me.issuers.rotate({ issuer_id: issuer.issuer_id });
        const more = { subject_did: names.subject, credential_type: names.type, status_list: true };
        const [valid, revoked] = [await issue(token, issuer, more), await issue(token, issuer, more)];
        const { credential_id } = revoked;
        await me.credentials.revoke({ credential_id, issuer_did: issuer.did, reason: names.reason });
        await me.issuers.markCompromised({ issuer_id: issuer.issuer_id, kid: issuer.kid, reason: names.leak });
        const holder = await newDid(token);
        await present(token, holder, [valid.credential], { audience: names.audience });
        const wallet = await newWallet(token);
        await store(token, wallet, valid.credential, { note: names.wallet });
        const documentOf = async () =>
            (await fetch(`${GATEWAYS[1]}/issuers/${issuer.issuer_id}/did.json`)).json() as Promise<DidDocument>;
        const document = await documentOf();
        await until('the status list shows it', async () => (await publicStatus(revoked, document)) === 'revoked');
        const stored = await everything();
        for (const planted of [names.email, names.name, names.key, names.issuer, names.subject, names.type, user_id])
            assert.ok(stored.includes(planted), `${planted} is not found before the erasure`);

        await expectOk(200, deletion(token, { password, confirm: 'delete' }));
        await finishErasure(user_id);

        const other = await aKey();
        const verdicts = await Promise.all(
            [valid, revoked].map(({ credential }) => verify(other, credential, issuer.did, true)),
        );
        assert.deepEqual(
            verdicts.map((verdict) => [verdict.valid, verdict.revoked]),
            [
                [true, false],
                [false, true],
            ],
        );
        assert.equal(await publicStatus(revoked, document), 'revoked');
        assert.equal(await publicStatus(valid, document), 'valid');
        assert.deepEqual(await documentOf(), document);
        const listed = async () => {
            const request = { after: 0, types: [], limit: 1_000 };
            return (await call('events.v1.EventsService/ListEvents', request, { user_id })).response.events;
        };
        await until('the stream ends', async () => (await listed()).at(-1)?.type === 'account.erased');
        const events = await listed();
        assert.deepEqual(
            events.map(({ seq }: { seq: number }) => seq),
            events.map((_: object, index: number) => index + 1),
        );
        assert.equal(events.filter(({ type }: { type: string }) => type === 'account.erased').length, 1);
        const data = events.flatMap(({ data }: { data: object }) => Object.values(data ?? {}).filter(Boolean));
        assert.deepEqual(data, []);
        assert.equal(await claims(), 0);
        const left = await everything();
        const digests = Object.values(names).map((name) => hash('sha256', name));
        assert.deepEqual(
            [...Object.values(names), ...digests].filter((planted) => left.includes(planted)),
            [],
        );
    });
});
