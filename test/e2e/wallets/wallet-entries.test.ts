import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { expectError, expectOk, send } from '../support/client.ts';
import { database } from '../support/database.ts';
import { inHeader, walletCalls } from '../support/wallet-calls.ts';
import { issue, newAccount, newDid, newKey, newWallet, present, store } from '../support/world.ts';

const account = await newAccount();
const { api_key: token } = await newKey(account);
const issuer = await newDid(token);
const UNKNOWN = '01a1fa7f-0167-7000-aba2-295231bb1186';

const { open, add, remove, list, idsIn } = walletCalls(token);

describe('credentials in a wallet', () => {
    it('come back unchanged, newest first, with the exact text of their metadata', async () => {
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
        const [shownNewer, shownOlder] = listed.data.credentials;
        assert.deepEqual(shownNewer, { ...newer, stored_at });
        assert.deepEqual(shownOlder, { ...older, stored_at: stored.stored_at, metadata: JSON.parse(metadata) });
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

    it('remain one entry if the same credential is stored again', async () => {
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

    it('are gone after they were deleted', async () => {
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

    it('are returned in full even if they are many and large', async () => {
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

it('neither logs nor tables contain the password of a wallet', async () => {
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
    for (const giveUp = performance.now() + 10_000; !logs().includes(last); await delay(20)) {
        assert.ok(performance.now() < giveUp, 'the last request is not in the logs after 10 s');
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
    const db = await database('wallet');
    for (const table of ['wallet.wallets', 'wallet.credentials', 'wallet.deltas']) {
        const { rowCount } = await db.query(`SELECT FROM ${table} t WHERE strpos(t::text, $1) > 0`, [password]);
        assert.equal(rowCount, 0, table);
    }
});
