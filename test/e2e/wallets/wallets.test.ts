import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Answer, expectError, expectOk, send } from '../support/client.ts';
import { walletCalls } from '../support/wallet-calls.ts';
import {
    issue,
    issueBody,
    newAccount,
    newDid,
    newKey,
    newWallet,
    store,
    verify,
    type Wallet,
} from '../support/world.ts';

const account = await newAccount();
const { api_key: token } = await newKey(account);
const { api_key: strangeToken } = await newKey(await newAccount());
const issuer = await newDid(token);
const UNKNOWN = '01a1fa7f-0167-7000-aba2-295231bb1186';

const { open, add, remove, list, idsIn } = walletCalls(token);

describe('a wallet', () => {
    it('shows its private key only when it is opened', async () => {
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

    it('has a DID that can sign, belongs to the account and does not count as created by it', async () => {
        const owner = await newAccount();
        const wallet = await newWallet(owner.token);
        const { private_key, did } = await expectOk(200, open(wallet, { token: owner.token }));
        assert.equal((await expectOk(200, { path: `/v1/did/${did}`, token: strangeToken })).did, did);
        const body = issueBody({ did, private_key, public_key: wallet.public_key }, 'did:web:x');
        const { credential, credential_id } = await expectOk(201, {
            method: 'POST',
            path: '/v1/credentials',
            token: strangeToken,
            body,
        });
        assert.equal((await verify(token, credential, did)).valid, true);
        const revoke = { method: 'POST', path: `/v1/credentials/revoke/${credential_id}`, body: { issuer_did: did } };
        await expectOk(200, { ...revoke, token: owner.token });
        assert.equal((await expectOk(200, { path: '/v1/me', token: owner.token })).stats.dids_created, 0);
    });

    it('can be opened with any session or key of its account', async () => {
        const wallet = await newWallet(account.token);
        await expectOk(200, open(wallet));
        const { api_key: otherKey } = await newKey(account, 'basic');
        await expectOk(200, open(wallet, { token: otherKey }));
    });

    it('keeps any Unicode in its name, without the blanks around it', async () => {
        const body = { name: ' \u200f ملف 🗝️ ', password: 'x', description: null };
        const { name } = await expectOk(201, { method: 'POST', path: '/v1/wallets', token, body });
        assert.equal(name, body.name.trim());
    });
});

describe('a wallet is not created from', () => {
    const good = { name: 'wallet', password: 'open sesame' };
    const bad: Record<string, unknown> = {
        'no name': { password: 'x' },
        'a null name': { ...good, name: null },
        'a number as name': { ...good, name: 5 },
        'an empty name': { ...good, name: '' },
        'a blank name': { ...good, name: ' \t ' },
        'a name of 256 characters': { ...good, name: 'x'.repeat(256) },
        'no password': { name: 'wallet' },
        'a null password': { ...good, password: null },
        'a number as password': { ...good, password: 12345678 },
        'an empty password': { ...good, password: '' },
        'a password of 1,025 bytes': { ...good, password: 'x'.repeat(1_025) },
        'a password with NUL': '{"name":"wallet","password":"a\\u0000b"}',
        'a password with a lone surrogate': '{"name":"wallet","password":"a\\ud800b"}',
        'a description of 2,001 characters': { ...good, description: 'x'.repeat(2_001) },
        'a number as description': { ...good, description: 5 },
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
    it('with another password, which the refusal does not repeat', async () => {
        const wallet = await newWallet(token);
        for (const password of ['Open sesame', 'open sesame ', ' open sesame', 'open', `${wallet.password}\u200b`]) {
            const { text } = await expectError(401, open({ ...wallet, password }));
            assert.equal(text.includes('sesame'), false);
        }
        await expectOk(200, open(wallet));
    });

    it('for another account, which gets 404', async () => {
        const wallet = await newWallet(token);
        const { credential, credential_id } = await issue(token, issuer);
        await store(token, wallet, credential);
        const otherAccount = { token: strangeToken };
        for (const password of [wallet.password, 'wrong']) {
            const named = { ...wallet, password };
            await expectError(404, open(named, otherAccount));
            await expectError(404, { ...add(wallet.wallet_id, { password, credential }), ...otherAccount });
            await expectError(404, list(named, '', otherAccount));
            await expectError(404, remove(named, credential_id, { body: { password }, ...otherAccount }));
        }
        assert.deepEqual(await idsIn(wallet), [credential_id]);
    });

    it('if its id is unknown or malformed', async () => {
        for (const walletId of [UNKNOWN, '', '../wallets', 'x'.repeat(10_000), UNKNOWN.toUpperCase(), 'urn:uuid:x']) {
            await expectError(404, open({ wallet_id: walletId, password: 'x' }));
        }
        for (const walletId of [UNKNOWN, 'x', '..%2f', '%00', 'x'.repeat(10_000)]) {
            await expectError(404, list({ wallet_id: walletId, password: 'x' } as Wallet));
        }
    });

    it('with a malformed body', async () => {
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

    it('to a client that guesses, which has to wait after ten wrong passwords', async () => {
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
        assert.match(refusal.body.error, /requests per minute.*Try again in \d+ seconds?\./);
        await expectOk(200, open(await newWallet(token)));
    });
});
