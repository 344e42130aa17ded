import assert from 'node:assert/strict';
import { it } from 'node:test';
import { testContext, testRedis } from '../../support/harness.ts';
import { PASSWORD, startWallets } from '../wallet/wallet.fixture.ts';
import { eraseAll } from './erasure.fixture.ts';

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
