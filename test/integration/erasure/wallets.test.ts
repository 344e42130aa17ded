import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, it } from 'node:test';
import { Client } from 'pg';
import { erasure } from '../../../services/erasure.ts';
import { walletStore } from '../../../services/wallet/store.ts';
import { testContext, testRedis } from '../../support/harness.ts';
import { until } from '../../support/until.ts';
import { PASSWORD, startWallets } from '../wallet/wallet.fixture.ts';
import { eraseAll, erasureFixture } from './erasure.fixture.ts';

it('what is recorded about those who tried the password of an erased wallet is removed', async () => {
    const [{ wallets }, redis] = [await startWallets(), await testRedis()];
    const [ada, eve] = [testContext(), testContext()];
    const created = await Promise.all(
        [ada, eve].map((context) => wallets.create({ name: 'wallet', password: PASSWORD }, context)),
    );
    for (const [index, context] of [ada, eve].entries()) {
        const walletId = created[index]?.wallet_id ?? '';
        await wallets.open({ wallet_id: walletId, password: PASSWORD }, context);
        await assert.rejects(wallets.open({ wallet_id: walletId, password: 'wrong' }, context), {
            kind: 'unauthenticated',
        });
    }
    const recordsOf = (index: number) => redis.keys(`guard:*:wallet:${created[index]?.wallet_id}:*`);
    const before = await recordsOf(1);
    assert.equal((await recordsOf(0)).length, before.length);
    assert.ok(before.length > 1);
    await eraseAll(wallets.eraseAccount, ada.user_id ?? '');
    assert.deepEqual(await recordsOf(0), []);
    assert.deepEqual((await recordsOf(1)).sort(), before.sort());
});

it('an erasure locks wallets in the order of their ids, so that two do not deadlock', async () => {
    const { db, url, query, rowsOf } = await erasureFixture();
    const account = randomUUID();
    const [first, last] = [randomUUID(), randomUUID()].sort();
    for (const id of [last, first])
        await query(
            `INSERT INTO wallet.wallets (id, account, created_at, salt, memory_kib, passes, data_key, private_key, profile)
             VALUES ($1, $2, now(), '', 1, 1, '', '', '')`,
            [id, account],
        );
    const other = new Client({ connectionString: url });
    other.on('error', () => {}); // its connection ends when the database is dropped
    await other.connect();
    after(() => other.end());
    const lock = (id: string | undefined) => other.query('SELECT FROM wallet.wallets WHERE id = $1 FOR UPDATE', [id]);
    await other.query('BEGIN');
    await lock(first);
    const erased = eraseAll(erasure(walletStore(db).erasure(async () => {})), account);
    await until('the erasure waits', async () => {
        const [row] = await query(
            `SELECT count(*)::int AS waiting FROM pg_stat_activity
             WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        );
        return row?.['waiting'] === 1;
    });
    await lock(last);
    await other.query('COMMIT');
    await erased;
    assert.deepEqual(await rowsOf(account, 'wallet'), {});
});
