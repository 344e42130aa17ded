import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { type Call, expectError, expectOk, INTERNAL_SECRET } from '../support/client.ts';
import { linesOf } from '../support/logs.ts';
import { sendRaw } from '../support/raw.ts';
import { issue, issueBody, newAccount, newDid, newKey, presentationBody } from '../support/world.ts';

/** Client address of these tests as the service sees it. */
const CALLER = process.env['E2E_ONE_ADDRESS'] ?? '127.0.0.1';

const H = 'X-On-Behalf-Of';

/** A trusted caller's call on behalf of an account. */
const behalf = (userId: string, path: string, body?: unknown): Call => ({
    method: 'POST',
    path: `/internal/v1${path}`,
    internal: true,
    headers: { [H]: userId },
    body,
});
const statsOf = async (token: string) => (await expectOk(200, { path: '/v1/me', token, gateway: 1 })).stats;

describe('X-On-Behalf-Of', () => {
    it('makes that account the owner of new objects, in its lists and in its counts', async () => {
        const { user_id, token } = await newAccount();
        const did = await expectOk(201, behalf(user_id, '/did'));
        const body = issueBody(did, 'did:web:subject.example');
        const { credential_id, credential } = await expectOk(201, behalf(user_id, '/credentials', body));
        await expectOk(201, behalf(user_id, '/presentations', presentationBody(did, [credential])));
        assert.deepEqual(await statsOf(token), {
            dids_created: 1,
            credentials_issued: 1,
            presentations_created: 1,
            api_keys_active: 0,
        });
        const { credentials } = await expectOk(200, { path: `/v1/credentials/by-issuer/${did.did}`, token });
        assert.deepEqual(
            credentials.map((row: { credential_id: string }) => row.credential_id),
            [credential_id],
        );
    });

    it('gives a call the rights of that account, not of a trusted caller', async () => {
        const [owner, other] = [await newAccount(), await newAccount()];
        const did = await newDid(owner.token);
        const { credential_id, issuer } = await issue(owner.token, did);
        const path = `/credentials/revoke/${credential_id}`;
        await expectError(403, behalf(other.user_id, path, { issuer_did: issuer }));
        const { revoked } = await expectOk(200, behalf(owner.user_id, path, { issuer_did: issuer }));
        assert.equal(revoked, true);
    });

    it('creates wallets for that account, and opens no wallet of another account', async () => {
        const [owner, other] = [await newAccount(), await newAccount()];
        const password = 'open sesame';
        const { wallet_id } = await expectOk(201, behalf(owner.user_id, '/wallets', { name: 'private', password }));
        const body = { wallet_id, password };
        await expectOk(200, { method: 'POST', path: '/v1/wallets/open', token: owner.token, body });
        await expectOk(200, behalf(owner.user_id, '/wallets/open', body));
        await expectError(404, behalf(other.user_id, '/wallets/open', body));
    });

    it('does not let the account revoke a credential without an owner', async () => {
        const { user_id } = await newAccount();
        const did = await expectOk(201, { method: 'POST', path: '/internal/v1/did', internal: true });
        const body = issueBody(did, 'did:web:subject.example');
        const call = { method: 'POST', path: '/internal/v1/credentials', internal: true, body };
        const { credential_id } = await expectOk(201, call);
        await expectError(403, behalf(user_id, `/credentials/revoke/${credential_id}`, { issuer_did: did.did }));
    });

    for (const bad of ['', 'x', 'me', '0', '01890a5d-ac96-774b-bcce-b302099a805', "' OR 1=1", 'urn:uuid:x', '*']) {
        it(`gets 400 if it is ${JSON.stringify(bad)}`, async () => {
            await expectError(400, behalf(bad, '/did'));
        });
    }

    it('gets 400 in upper case, in quotes, in a list and as a URN', async () => {
        const { user_id, token } = await newAccount();
        for (const written of [user_id.toUpperCase(), `"${user_id}"`, `${user_id},${user_id}`, `urn:uuid:${user_id}`]) {
            await expectError(400, behalf(written, '/did'));
        }
        assert.equal((await statsOf(token)).dids_created, 0);
    });

    it('gets 400 if it is sent twice, with the same or another account', async () => {
        const [one, two] = [await newAccount(), await newAccount()];
        for (const second of [one, two]) {
            const answer = await sendRaw({
                method: 'POST',
                path: '/internal/v1/did',
                headers: [
                    ['X-Internal-Secret', INTERNAL_SECRET],
                    [H, one.user_id],
                    [H.toLowerCase(), second.user_id],
                ],
            });
            assert.equal(answer.status, 400, answer.text);
        }
        for (const { token } of [one, two]) assert.equal((await statsOf(token)).dids_created, 0);
    });

    it('gets 400 if the account does not exist', async () => {
        const { body } = await expectError(400, behalf(randomUUID(), '/did'));
        assert.equal(body.error, 'The account in X-On-Behalf-Of does not exist.');
        await expectError(400, { ...behalf(randomUUID(), '/did/x'), method: 'GET' });
    });

    it('is not read and has no effect without the internal secret', async () => {
        const { user_id, token } = await newAccount();
        for (const named of [user_id, 'x']) {
            await expectError(401, { ...behalf(named, '/did'), internal: false });
            await expectError(401, { ...behalf(named, '/did'), internal: false, token });
        }
        assert.equal((await statsOf(token)).dids_created, 0);
    });

    it('is ignored on public paths, with and without the secret', async () => {
        const [account, other] = [await newAccount(), await newAccount()];
        const { api_key } = await newKey(account);
        for (const internal of [true, false]) {
            for (const named of [other.user_id, 'x']) {
                const headers = { [H]: named };
                await expectOk(201, { method: 'POST', path: '/v1/did', token: api_key, internal, headers });
                const me = await expectOk(200, { path: '/v1/me', token: account.token, internal, headers });
                assert.equal(me.user_id, account.user_id);
                await expectError(401, { method: 'POST', path: '/v1/did', internal, headers });
            }
        }
        assert.equal((await statsOf(account.token)).dids_created, 4);
        assert.equal((await statsOf(other.token)).dids_created, 0);
    });

    it('does not replace the account of a session token', async () => {
        const [account, other] = [await newAccount(), await newAccount()];
        const call = { path: '/internal/v1/auth/me', internal: true, token: account.token };
        const me = await expectOk(200, { ...call, headers: { [H]: other.user_id } });
        assert.equal(me.user_id, account.user_id);
    });
});

describe('the log', () => {
    async function lineOf(call: Call, status: number) {
        const requestId = `audit-${randomUUID()}`;
        const { headers, ...rest } = call;
        const answer = status < 400 ? expectOk : expectError;
        await answer(status, { ...rest, headers: { ...headers, 'X-Request-Id': requestId } });
        const [line, ...more] = (await linesOf([requestId])).map((text) => JSON.parse(text));
        assert.deepEqual(more, []);
        return line;
    }

    it('has one line for each internal call, with the address of the caller and the account', async () => {
        const { user_id } = await newAccount();
        const line = await lineOf(behalf(user_id, '/did'), 201);
        assert.deepEqual(
            [line.audit, line.route, line.on_behalf_of, line.address, line.status],
            [true, 'internal.did.create', user_id, CALLER, 201],
        );
    });

    it('has audit lines for refused calls, wrong secrets and logins', async () => {
        const unknown = randomUUID();
        const refused = await lineOf(behalf(unknown, '/did'), 400);
        assert.deepEqual([refused.audit, refused.on_behalf_of, refused.status], [true, unknown, 400]);
        const headers = { 'X-Internal-Secret': 'wrong' };
        const wrong = await lineOf({ ...behalf(unknown, '/did'), internal: false, headers }, 401);
        assert.deepEqual([wrong.audit, wrong.on_behalf_of, wrong.address], [true, undefined, CALLER]);
        const body = { email: 'nobody@example.com', password: 'wrong password' };
        const login = await lineOf({ method: 'POST', path: '/internal/v1/auth/login', body }, 401);
        assert.deepEqual([login.audit, login.route], [true, 'internal.auth.login']);
    });

    it('has no audit fields in the lines of public calls', async () => {
        const { token } = await newAccount();
        const line = await lineOf({ path: '/v1/me', token, headers: { [H]: randomUUID() } }, 200);
        assert.deepEqual([line.audit, line.address, line.on_behalf_of], [undefined, undefined, undefined]);
    });
});
