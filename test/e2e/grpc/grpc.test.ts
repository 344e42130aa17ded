import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { status } from '@grpc/grpc-js';
import { call, closeClients, METHODS, type Options, type Outcome, READER_TOKEN } from '../support/grpc.ts';
import { issue, newAccount, newDid, newKey, newWallet } from '../support/world.ts';

after(closeClients);
const [ada, mallory] = [await newAccount(), await newAccount()];
const as = ({ user_id }: { user_id: string }): Options => ({ user_id });
const asReader = (options: Options): Options => ({ ...options, token: READER_TOKEN });

function assertCode(outcome: Outcome, code: status): void {
    assert.equal(outcome.code, code, `${status[outcome.code]}: ${outcome.details}`);
}
async function answer(...asked: Parameters<typeof call>) {
    const outcome = await call(...asked);
    assertCode(outcome, status.OK);
    return outcome.response;
}

it('every method of every service exists, and refuses unknown callers', async () => {
    const served = METHODS.filter((name) => !name.startsWith('rpc.'));
    assert.ok(served.length > 35);
    for (const name of served) {
        for (const token of [null, '', 'wrong']) assertCode(await call(name, {}, { token }), status.UNAUTHENTICATED);
    }
});

describe('a call on behalf of an account', () => {
    it('finds only the keys of that account', async () => {
        const { key_id } = await newKey(ada);
        assert.equal((await answer('keys.v1.KeysService/Get', { key_id }, as(ada))).key_id, key_id);
        for (const method of ['Get', 'Rename', 'Revoke']) {
            assertCode(await call(`keys.v1.KeysService/${method}`, { key_id }, as(mallory)), status.NOT_FOUND);
        }
        const { keys } = await answer('keys.v1.KeysService/List', { limit: 10 }, as(mallory));
        assert.deepEqual(keys, []);
        assertCode(await call('keys.v1.KeysService/Get', { key_id }), status.UNAUTHENTICATED);
    });

    it('cannot revoke or list credentials of another account', async () => {
        const issuer = await newDid(ada.token);
        const { credential_id } = await issue(ada.token, issuer);
        const revoke = { credential_id, issuer_did: issuer.did };
        const name = 'credentials.v1.CredentialsService/Revoke';
        assertCode(await call(name, revoke, as(mallory)), status.PERMISSION_DENIED);
        assertCode(await call(name, revoke), status.UNAUTHENTICATED);
        const list = { issuer_did: issuer.did, limit: 10 };
        const { credentials } = await answer('credentials.v1.CredentialsService/List', list, as(mallory));
        assert.deepEqual(credentials, []);
        const { revoked } = await answer('credentials.v1.CredentialsService/GetStatus', { credential_id });
        assert.equal(revoked, false);
        assert.equal((await answer(name, revoke, as(ada))).revoked, true);
    });

    it('cannot open a wallet of another account, even with its password', async () => {
        const { wallet_id, password } = await newWallet(ada.token);
        const name = 'wallet.v1.WalletService/Open';
        assertCode(await call(name, { wallet_id, password }, as(mallory)), status.NOT_FOUND);
        assertCode(await call(name, { wallet_id, password }), status.UNAUTHENTICATED);
        assert.equal((await answer(name, { wallet_id, password }, as(ada))).wallet.wallet_id, wallet_id);
    });

    it('is refused if the account is not an id', async () => {
        for (const userId of ['ada', ada.user_id.toUpperCase(), `${ada.user_id}'`]) {
            const outcome = await call('keys.v1.KeysService/List', { limit: 1 }, { user_id: userId });
            assertCode(outcome, status.INVALID_ARGUMENT);
            assert.equal(outcome.trailers['error-kind'], 'invalid');
        }
    });
});

describe('another service with its own token', () => {
    it('may call only the methods in its list', async () => {
        await answer('keys.v1.KeysService/List', { limit: 1 }, asReader(as(ada)));
        const unknown = { credential_id: `urn:uuid:${ada.user_id}` };
        const found = await call('credentials.v1.CredentialsService/GetStatus', unknown, asReader({}));
        assertCode(found, status.NOT_FOUND);
        for (const name of ['credentials.v1.CredentialsService/List', 'wallet.v1.WalletService/Create']) {
            const refused = await call(name, {}, asReader(as(ada)));
            assertCode(refused, status.PERMISSION_DENIED);
            assert.equal(refused.trailers['error-kind'], 'forbidden');
        }
    });

    it('is not trusted even if it sends x-trusted', async () => {
        const options = asReader({ ...as(ada), metadata: { 'x-trusted': 'true' } });
        assertCode(await call('keys.v1.KeysService/List', { limit: 1 }, options), status.PERMISSION_DENIED);
    });

    it('gets retry-after for calls above its limit of calls in flight', async () => {
        const outcomes = await Promise.all(
            Array.from({ length: 200 }, () => call('keys.v1.KeysService/List', { limit: 1 }, asReader(as(ada)))),
        );
        const [served, refused] = [0, status.RESOURCE_EXHAUSTED].map((code) =>
            outcomes.filter((outcome) => outcome.code === code),
        );
        assert.ok(served && served.length >= 8);
        assert.ok(refused && refused.length > 0);
        assert.equal(served.length + refused.length, 200);
        for (const { trailers } of refused) assert.equal(trailers['retry-after'], '1');
        await answer('keys.v1.KeysService/List', { limit: 1 }, asReader(as(ada)));
    });

    // It is here, not beside the other batches: files run in parallel, and these calls would use up the limit above.
    it('uses one of its calls in flight for each item of a batch', async () => {
        const getStatuses = (count: number) =>
            call(
                'credentials.v1.CredentialsService/GetStatusMany',
                { credential_ids: Array(count).fill('x') },
                asReader({}),
            );
        const largest = await getStatuses(8);
        assertCode(largest, status.OK);
        assert.equal(largest.response.results.length, 8);
        const refused = await getStatuses(9);
        assertCode(refused, status.INVALID_ARGUMENT);
        assert.equal(refused.trailers['error-kind'], 'invalid');
    });
});

it('only trusted callers get the statistics of the whole platform', async () => {
    const name = 'usage.v1.UsageService/GetPlatformStatistics';
    assertCode(await call(name, {}, as(ada)), status.PERMISSION_DENIED);
    await answer(name, {}, { metadata: { 'x-trusted': 'true' } });
});
