import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type Answer, type Call, expectError, expectOk, send } from './client.ts';
import { database } from './database.ts';
import {
    issue,
    issueBody,
    newAccount,
    newDid,
    newKey,
    newWallet,
    present,
    store,
    verify,
    type Wallet,
} from './world.ts';

const account = await newAccount();
const { api_key: token } = await newKey(account);
const { api_key: strange_token } = await newKey(await newAccount());
const issuer = await newDid(token);
const UNKNOWN = '01a1fa7f-0167-7000-aba2-295231bb1186';

const open = ({ wallet_id, password }: { wallet_id: unknown; password?: unknown }, more: Partial<Call> = {}): Call => ({
    method: 'POST',
    path: '/v1/wallets/open',
    token,
    body: { wallet_id, password },
    ...more,
});

const add = (wallet_id: string, body: unknown): Call => ({
    method: 'POST',
    path: `/v1/wallets/${wallet_id}/credentials`,
    token,
    body,
});

const remove = ({ wallet_id }: Wallet, credential_id: string, more: Partial<Call>): Call => ({
    method: 'DELETE',
    path: `/v1/wallets/${wallet_id}/credentials/${credential_id}`,
    token,
    ...more,
});

const inHeader = (password: string) => ({
    'X-Wallet-Password': Buffer.from(password).toString('latin1'), // as bytes, which fetch leaves as they are
});

const list = ({ wallet_id, password }: Wallet, query = '', more: Partial<Call> = {}): Call => ({
    path: `/v1/wallets/${wallet_id}/credentials${query}`,
    token,
    headers: inHeader(password),
    ...more,
});

async function idsIn(wallet: Wallet): Promise<string[]> {
    const { credentials, total } = await expectOk(200, list(wallet));
    assert.equal(total, credentials.length);
    return credentials.map(({ credential_id }: { credential_id: string }) => credential_id);
}

describe('a wallet', () => {
    it('shows its private key to who opens it, and to nobody else', async () => {
        const made = await newWallet(token);
        assert.deepEqual(Object.keys(made).sort(), [
            'created_at',
            'did',
            'name',
            'password',
            'public_key',
            'wallet_id',
        ]);
        const { password, ...shown } = made;
        const opened = await expectOk(200, open(made, { gateway: 1 }));
        const { private_key, credentials, ...same } = opened;
        assert.deepEqual([same, credentials], [shown, []]);
        const bytes = Buffer.from(private_key, 'base64');
        assert.equal(bytes.length, 64);
        assert.equal(bytes.subarray(32).toString('base64'), made.public_key);
    });

    it('holds a DID that signs, belongs to the account and is not counted as one that it created', async () => {
        const owner = await newAccount();
        const wallet = await newWallet(owner.token);
        const { private_key, did } = await expectOk(200, open(wallet, { token: owner.token }));
        assert.equal((await expectOk(200, { path: `/v1/did/${did}`, token: strange_token })).did, did);
        const body = issueBody({ did, private_key, public_key: wallet.public_key }, 'did:web:x');
        const { credential, credential_id } = await expectOk(201, {
            method: 'POST',
            path: '/v1/credentials',
            token: strange_token,
            body,
        });
        assert.equal((await verify(token, credential, did)).valid, true);
        const revoke = { method: 'POST', path: `/v1/credentials/revoke/${credential_id}`, body: { issuer_did: did } };
        await expectOk(200, { ...revoke, token: owner.token });
        assert.equal((await expectOk(200, { path: '/v1/me', token: owner.token })).stats.dids_created, 0);
    });

    it('is the account’s, whichever of its credentials the call is made with', async () => {
        const wallet = await newWallet(account.token);
        await expectOk(200, open(wallet));
        const { api_key: other_key } = await newKey(account, 'basic');
        await expectOk(200, open(wallet, { token: other_key }));
    });

    it('keeps any Unicode of its name, without the blanks around it', async () => {
        const body = { name: ' \u200f ملف 🗝️ ', password: 'x', description: null };
        const { name } = await expectOk(201, { method: 'POST', path: '/v1/wallets', token, body });
        assert.equal(name, body.name.trim());
    });
});

describe('a wallet is not made of', () => {
    const good = { name: 'wallet', password: 'open sesame' };
    const bad: Record<string, unknown> = {
        'no name': { password: 'x' },
        'a name that is null': { ...good, name: null },
        'a number for a name': { ...good, name: 5 },
        'an empty name': { ...good, name: '' },
        'a blank name': { ...good, name: ' \t ' },
        'a name of 256 characters': { ...good, name: 'x'.repeat(256) },
        'no password': { name: 'wallet' },
        'a password that is null': { ...good, password: null },
        'a number for a password': { ...good, password: 12345678 },
        'an empty password': { ...good, password: '' },
        'a password of 1,025 bytes': { ...good, password: 'x'.repeat(1_025) },
        'a password with NUL': '{"name":"wallet","password":"a\\u0000b"}',
        'a password with half a character': '{"name":"wallet","password":"a\\ud800b"}',
        'a description of 2,001 characters': { ...good, description: 'x'.repeat(2_001) },
        'a number for a description': { ...good, description: 5 },
        'an array': [good],
        'no body': undefined,
    };
    for (const [what, body] of Object.entries(bad)) {
        it(what, async () => {
            await expectError(400, { method: 'POST', path: '/v1/wallets', token, body });
        });
    }
});

describe('a wallet does not open', () => {
    it('with another password, and the refusal does not repeat it', async () => {
        const wallet = await newWallet(token);
        for (const password of ['Open sesame', 'open sesame ', ' open sesame', 'open', `${wallet.password}\u200b`]) {
            const { text } = await expectError(401, open({ ...wallet, password }));
            assert.equal(text.includes('sesame'), false);
        }
        await expectOk(200, open(wallet));
    });

    it('for another account: to it there is no such wallet', async () => {
        const wallet = await newWallet(token);
        const { credential, credential_id } = await issue(token, issuer);
        await store(token, wallet, credential);
        const stranger = { token: strange_token };
        for (const password of [wallet.password, 'wrong']) {
            const named = { ...wallet, password };
            await expectError(404, open(named, stranger));
            await expectError(404, { ...add(wallet.wallet_id, { password, credential }), ...stranger });
            await expectError(404, list(named, '', stranger));
            await expectError(404, remove(named, credential_id, { body: { password }, ...stranger }));
        }
        assert.deepEqual(await idsIn(wallet), [credential_id]);
    });

    it('where there is none', async () => {
        for (const wallet_id of [UNKNOWN, '', '../wallets', 'x'.repeat(10_000), UNKNOWN.toUpperCase(), 'urn:uuid:x']) {
            await expectError(404, open({ wallet_id, password: 'x' }));
        }
        for (const wallet_id of [UNKNOWN, 'x', '..%2f', '%00', 'x'.repeat(10_000)]) {
            await expectError(404, list({ wallet_id, password: 'x' } as Wallet));
        }
    });

    it('by a body of another shape', async () => {
        const { wallet_id, password } = await newWallet(token);
        for (const body of [
            {},
            { wallet_id },
            { password },
            { wallet_id, password: null },
            { wallet_id, password: '' },
            { wallet_id, password: 5 },
            { wallet_id: null, password },
            { wallet_id: 5, password },
            { wallet_id: [wallet_id], password },
            { wallet_id, password: 'x'.repeat(1_025) },
            [],
        ]) {
            await expectError(400, { method: 'POST', path: '/v1/wallets/open', token, body });
        }
    });

    it('by guessing: after ten wrong passwords callers wait', async () => {
        const wallet = await newWallet(token);
        let refusal: Answer | undefined;
        let guesses = 0;
        // On a slow machine a wait may be over before the next guess; it doubles each time.
        for (; guesses < 15 && !refusal; guesses++) {
            const answer = await send(open({ ...wallet, password: `guess ${guesses}` }, { gateway: guesses % 2 }));
            if (answer.status === 429) refusal = answer;
            else assert.equal(answer.status, 401);
        }
        assert.ok(refusal && guesses > 10);
        assert.ok(Number(refusal.headers.get('retry-after')) >= 1);
        assert.match(refusal.body.error, /requests per minute.*Try again in \d+ seconds/);
        await expectOk(200, open(await newWallet(token)));
    });
});

describe('credentials in a wallet', () => {
    it('come back as they were stored, newest first, with their metadata to the letter', async () => {
        const wallet = await newWallet(token);
        const first = await issue(token, issuer, { credential_type: 'EducationCredential' });
        const second = await issue(token, issuer, { expiration_date: '2001-01-01' });
        const metadata = '{ "b":1.0,"10":12345678901234567890, "__proto__":{"x":null},"ß":"\\u00df" }';
        const text = JSON.stringify({ password: wallet.password, credential: first.credential });
        const stored = await expectOk(201, add(wallet.wallet_id, `${text.slice(0, -1)},"metadata":${metadata}}`));
        assert.deepEqual(stored, {
            credential_id: first.credential_id,
            wallet_id: wallet.wallet_id,
            credential_type: 'EducationCredential',
            issuer: issuer.did,
            stored_at: stored.stored_at,
        });
        const { stored_at } = await store(token, wallet, second.credential);
        const listed = await send(list(wallet, '', { gateway: 1 }));
        const older = {
            credential_id: first.credential_id,
            credential_type: 'EducationCredential',
            issuer: issuer.did,
        };
        const newer = {
            credential_id: second.credential_id,
            credential_type: 'EmploymentCredential',
            issuer: issuer.did,
        };
        assert.equal(listed.data.total, 2);
        const [shown_newer, shown_older] = listed.data.credentials;
        assert.deepEqual(shown_newer, { ...newer, stored_at });
        assert.deepEqual(shown_older, { ...older, stored_at: stored.stored_at, metadata: JSON.parse(metadata) });
        assert.ok(listed.text.includes(`"metadata":${metadata}`));

        const opened = await send(open(wallet));
        assert.ok(opened.text.includes(`"metadata":${metadata}`));
        assert.deepEqual(
            opened.data.credentials.map((entry: { credential: string }) => entry.credential),
            [second.credential, first.credential],
        );
        assert.deepEqual(Object.keys(opened.data.credentials[0]).sort(), [
            'credential',
            'credential_id',
            'credential_type',
            'issuer',
            'stored_at',
        ]);
    });

    it('are one entry where one is stored again', async () => {
        const wallet = await newWallet(token);
        const { credential, credential_id } = await issue(token, issuer);
        const first = await store(token, wallet, credential, { n: 1 });
        const again = await Promise.all(
            Array.from({ length: 20 }, (_, gateway) =>
                expectOk(201, {
                    ...add(wallet.wallet_id, { password: wallet.password, credential, metadata: { n: 2 } }),
                    gateway: gateway % 2,
                }),
            ),
        );
        for (const answer of again) assert.deepEqual(answer, first);
        const { credentials, total } = await expectOk(200, list(wallet));
        assert.deepEqual([total, credentials.length], [1, 1]);
        assert.deepEqual([credentials[0].credential_id, credentials[0].metadata], [credential_id, { n: 2 }]);
    });

    it('are refused unless they are authentic', async () => {
        const wallet = await newWallet(token);
        const { password, wallet_id } = wallet;
        const { credential } = await issue(token, issuer);
        const { presentation } = await present(token, issuer, [credential]);
        const [head, payload = ''] = credential.split(/(?<=public\.)/);
        const other = payload[200] === 'A' ? 'B' : 'A';
        for (const bad of [
            undefined,
            null,
            5,
            '',
            'x',
            [credential],
            'v4.public.',
            `${credential}.Zm9v`,
            head + payload.slice(0, 200) + other + payload.slice(201),
            presentation,
        ]) {
            await expectError(400, add(wallet_id, { password, credential: bad }));
        }
        for (const metadata of [5, 'x', [], true, { a: 'x'.repeat(16_384) }]) {
            await expectError(400, add(wallet_id, { password, credential, metadata }));
        }
        await expectError(400, add(wallet_id, { credential }));
        await expectError(400, add(wallet_id, { password: '', credential }));
        assert.deepEqual(await idsIn(wallet), []);
        await expectOk(201, add(wallet_id, { password, credential, metadata: null }));
    });

    it('are checked in the order: shape, wallet, password, signature', async () => {
        const wallet = await newWallet(token);
        const { credential } = await issue(token, issuer);
        const tampered = `${credential.slice(0, -4)}AAAA`;
        const wrong = 'wrong password';
        await expectError(400, add(UNKNOWN, { password: wrong, credential: 'x' }));
        await expectError(404, add(UNKNOWN, { password: wrong, credential: tampered }));
        await expectError(401, add(wallet.wallet_id, { password: wrong, credential: tampered }));
        await expectError(400, add(wallet.wallet_id, { password: wallet.password, credential: tampered }));
    });

    it('are gone when they are deleted', async () => {
        const wallet = await newWallet(token);
        const { password } = wallet;
        const [one, two] = [await issue(token, issuer), await issue(token, issuer)];
        await store(token, wallet, one.credential);
        await store(token, wallet, two.credential);
        await expectError(401, remove(wallet, one.credential_id, { body: { password: 'wrong' } }));
        const answer = await expectOk(
            200,
            remove(wallet, encodeURIComponent(one.credential_id), { body: { password } }),
        );
        assert.deepEqual(Object.keys(answer).sort(), ['credential_id', 'deleted_at']);
        assert.equal(answer.credential_id, one.credential_id);
        assert.match(answer.deleted_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
        assert.deepEqual(await idsIn(wallet), [two.credential_id]);
        await expectError(404, remove(wallet, one.credential_id, { body: { password }, gateway: 1 }));
        await expectError(404, remove(wallet, `urn:uuid:${UNKNOWN}`, { body: { password } }));
        for (const malformed of [UNKNOWN, 'x', 'urn:uuid:x', two.credential_id.toUpperCase()]) {
            await expectError(400, remove(wallet, malformed, { body: { password } }));
        }
        const all = await Promise.all(
            Array.from({ length: 20 }, (_, gateway) =>
                send(remove(wallet, two.credential_id, { body: { password }, gateway: gateway % 2 })),
            ),
        );
        const statuses = all.map(({ status }) => status).sort();
        assert.deepEqual(statuses, [200, ...Array.from({ length: 19 }, () => 404)]);
    });

    it('come whole, however many and large they are', async () => {
        const wallet = await newWallet(token);
        const claims = { essay: 'x'.repeat(60_000) };
        const stored: string[] = [];
        for (let n = 0; n < 15; n++) {
            const { credential } = await issue(token, issuer, { claims });
            await store(token, wallet, credential, { n });
            stored.unshift(credential);
        }
        const opened = await expectOk(200, open(wallet));
        assert.deepEqual(
            opened.credentials.map(({ credential }: { credential: string }) => credential),
            stored,
        );
        const fields = ['created_at', 'credentials', 'did', 'name', 'private_key', 'public_key', 'wallet_id'];
        assert.deepEqual(Object.keys(opened).sort(), fields);
        assert.equal((await idsIn(wallet)).length, 15);
    });
});

it('a wallet’s password is in no log and no table', async () => {
    const password = `sesame ${randomUUID()} ümlaut`;
    const mistyped = `wrong ${randomUUID()}`;
    const wallet = await newWallet(token, password);
    const { credential, credential_id } = await issue(token, issuer);
    await store(token, wallet, credential);
    const query = `?${new URLSearchParams({ password })}`;
    await expectOk(200, list(wallet, query, { headers: {} }));
    await expectOk(200, list(wallet));
    await expectError(401, list(wallet, `?password=${encodeURIComponent(mistyped)}`, { headers: {} }));
    await expectError(400, list(wallet, `${query}&limit=0`, { headers: {} }));
    await expectError(404, list({ ...wallet, wallet_id: UNKNOWN }, query, { headers: {} }));
    await expectError(404, { path: `/v1/wallets/x/y/z${query}`, token });
    await expectOk(200, remove(wallet, credential_id, { headers: inHeader(password) }));
    const last = randomUUID();
    await send({ path: '/nothing', headers: { 'X-Request-Id': last } });

    const logs = () => {
        const files = globSync(`${process.env['E2E_LOG_DIR']}/${process.env['E2E_TRANSPORT']}-*.log`);
        return files.map((file) => readFileSync(file, 'utf8')).join('');
    };
    for (const give_up = performance.now() + 10_000; !logs().includes(last); await delay(20)) {
        assert.ok(performance.now() < give_up, 'requests are logged');
    }
    const written = logs();
    for (const secret of [password, mistyped]) {
        for (const spelling of [
            secret,
            encodeURIComponent(secret),
            encodeURIComponent(secret).replaceAll('%20', '+'),
        ]) {
            assert.equal(written.includes(spelling), false);
        }
    }
    const db = await database();
    for (const table of ['wallet.wallets', 'wallet.credentials', 'usage.deltas']) {
        const { rowCount } = await db.query(`SELECT FROM ${table} t WHERE strpos(t::text, $1) > 0`, [password]);
        assert.equal(rowCount, 0, table);
    }
});
