import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Call, expectError, expectOk, send } from '../support/client.ts';
import { sendRaw } from '../support/raw.ts';
import { issue, newAccount, newDid, newKey, newWallet, store, type Wallet } from '../support/world.ts';

const { api_key: token } = await newKey(await newAccount());
const issuer = await newDid(token);
const PASSWORD = 'open sesame';

const list = ({ wallet_id }: Wallet, query: string, headers: Record<string, string> = {}): Call => ({
    path: `/v1/wallets/${wallet_id}/credentials${query}`,
    token,
    headers,
});

async function filledWallet(credentials = 1): Promise<Wallet & { credential_id: string }> {
    const wallet = await newWallet(token, PASSWORD);
    let credentialId = '';
    for (let n = 0; n < credentials; n++) {
        const issued = await issue(token, issuer);
        await store(token, wallet, issued.credential);
        credentialId = issued.credential_id;
    }
    return { ...wallet, credential_id: credentialId };
}

describe('the password of a list', () => {
    it('is decoded once and compared exactly', async () => {
        for (const password of ['a&b=c', 'a+b', 'a%2Bb', 'a b', '100%', 'a#b?c', '🗝️ ключ', "'; --", '%00']) {
            const wallet = await newWallet(token, password);
            await expectOk(200, list(wallet, `?password=${encodeURIComponent(password)}`));
            await expectError(401, list(wallet, `?password=${encodeURIComponent(encodeURIComponent(`${password}%`))}`));
        }
        const plus = await newWallet(token, 'a b');
        await expectOk(200, list(plus, '?password=a+b'));
    });

    it('may be in the query or in the header, and must be the same if it is in both', async () => {
        const wallet = await newWallet(token, PASSWORD);
        const good = `?password=${encodeURIComponent(PASSWORD)}`;
        await expectOk(200, list(wallet, good));
        await expectOk(200, list(wallet, '', { 'X-Wallet-Password': PASSWORD }));
        await expectOk(200, list(wallet, good, { 'X-Wallet-Password': PASSWORD }));
        await expectError(400, list(wallet, good, { 'X-Wallet-Password': 'wrong' }));
        await expectError(400, list(wallet, '?password=wrong', { 'X-Wallet-Password': PASSWORD }));
        await expectError(401, list(wallet, '', { 'X-Wallet-Password': 'wrong' }));
        await expectError(401, list(wallet, '?password=wrong'));
    });

    it('is required exactly once, as valid text', async () => {
        const wallet = await newWallet(token, PASSWORD);
        const good = encodeURIComponent(PASSWORD);
        for (const query of [
            '',
            '?',
            '?password',
            '?password=',
            '?Password=x',
            `?password=${good}&password=${good}`,
            `?password=${good}&pass%77ord=${good}`,
            '?password=%00',
            '?password=a%00',
            '?password=%ff',
            '?password=%zz',
            `?password=${'x'.repeat(1_025)}`,
        ]) {
            await expectError(400, list(wallet, query));
        }
        await expectError(400, list(wallet, '', { 'X-Wallet-Password': '' }));
        await expectError(400, list(wallet, '', { 'X-Wallet-Password': 'caf\xe9' })); // Latin-1
    });

    it('is refused if its header is repeated, and is read from the header as UTF-8', async () => {
        const password = 'clé 🗝️';
        const wallet = await newWallet(token, password);
        const bytes = Buffer.from(password).toString('latin1'); // Node sends each character of a header as one byte
        await expectOk(200, list(wallet, '', { 'X-Wallet-Password': bytes }));
        const path = `/v1/wallets/${wallet.wallet_id}/credentials`;
        const authorization = ['Authorization', `Bearer ${token}`] as const;
        const header = ['X-Wallet-Password', bytes] as const;
        assert.equal((await sendRaw({ path, headers: [authorization, header] })).status, 200);
        assert.equal((await sendRaw({ path, headers: [authorization, header, header] })).status, 400);
    });
});

describe('the password of a deletion', () => {
    it('may be in the body or in the header, but not in the query', async () => {
        const wallet = await filledWallet();
        const path = `/v1/wallets/${wallet.wallet_id}/credentials/${wallet.credential_id}`;
        const remove = (more: Partial<Call>, query = ''): Call => ({
            method: 'DELETE',
            path: path + query,
            token,
            ...more,
        });
        const inQuery = `?password=${encodeURIComponent(PASSWORD)}`;
        await expectError(400, remove({}));
        await expectError(400, remove({}, inQuery));
        await expectError(400, remove({ body: {} }, inQuery));
        await expectError(400, remove({ body: { password: null } }));
        await expectError(400, remove({ body: { password: 5 } }));
        await expectError(400, remove({ body: { password: '' } }));
        await expectError(400, remove({ body: '{not json' }));
        const headers = { 'X-Wallet-Password': PASSWORD };
        await expectError(400, remove({ body: { password: 'wrong' }, headers }));
        await expectError(401, remove({ headers: { 'X-Wallet-Password': 'wrong' } }));
        await expectOk(200, remove({ headers }));
        await store(token, wallet, (await issue(token, issuer)).credential);
        await expectError(404, remove({ body: { password: PASSWORD }, headers }));
    });
});

describe('pages of a wallet', () => {
    it('have links without the password, and are complete', async () => {
        const wallet = await filledWallet(5);
        const headers = { 'X-Wallet-Password': PASSWORD };
        const whole = (await expectOk(200, list(wallet, '', headers))).credentials;
        assert.equal(whole.length, 5);
        const query = `?limit=2&pass%77ord=${encodeURIComponent(PASSWORD)}`;
        let call: Call | undefined = list(wallet, query);
        const paged = [];
        while (call) {
            const answer = await send(call);
            assert.equal(answer.status, 200, answer.text);
            assert.equal(answer.data.total, 5);
            assert.ok(answer.data.credentials.length <= 2);
            paged.push(...answer.data.credentials);
            const link = answer.headers.get('link');
            assert.equal(/sesame|password/i.test(`${link} ${answer.text}`), false);
            const next: string | undefined = /^<(.+)>; rel="next"$/.exec(link ?? '')?.[1];
            call = next === undefined ? undefined : { path: next, token, headers };
        }
        assert.deepEqual(paged, whole);
    });

    it('have 1 to 1,000 entries', async () => {
        const wallet = await newWallet(token, PASSWORD);
        const headers = { 'X-Wallet-Password': PASSWORD };
        for (const query of ['?limit=0', '?limit=1001', '?limit=x', '?limit=1&limit=2', '?cursor=x', '?cursor=']) {
            await expectError(400, list(wallet, query, headers));
        }
        assert.deepEqual(await expectOk(200, list(wallet, '?limit=1000', headers)), { credentials: [], total: 0 });
    });
});
