import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from '../../../platform/postgres/db.ts';
import { DidServiceDefinition } from '../../../proto/gen/did/v1/did.ts';
import { didService } from '../../../services/did/service.ts';
import { didStore } from '../../../services/did/store.ts';
import { testContext } from '../../support/harness.ts';
import { startWallets } from '../wallet/wallet.fixture.ts';
import { AMPLE } from './ample.ts';
import { reached } from './reached.ts';
import { testIdempotency } from './test-idempotency.ts';

const { db, signatures } = await startWallets();
const did = reached(
    DidServiceDefinition,
    didService({
        store: didStore(db),
        signatures,
        quota: AMPLE,
        idempotency: testIdempotency(db)('did'),
        clock: Date.now,
    }),
);
const create = (context: ReturnType<typeof testContext>) => did.create({ public_key: randomBytes(32) }, context);

/** Locks the account as a batch near the quota does, until the returned function is called. */
async function lockAsNear(account: string): Promise<() => Promise<void>> {
    const locked = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const transaction = db.transaction(async ({ rows }) => {
        await rows(sql.unsafe`SELECT pg_advisory_xact_lock(${0x646964}, hashtext(${account}))`);
        locked.resolve();
        await held.promise;
    });
    await Promise.race([locked.promise, transaction]);
    return () => {
        held.resolve();
        return transaction;
    };
}

test('a batch far from the quota waits while a batch near the quota counts the DIDs of the same account', async () => {
    const [context, other] = [testContext(), testContext()];
    const release = await lockAsNear(context.user_id as string); // a test context has an account
    const waiting = create(context);
    await delay(50); // the next call is then in a batch of its own
    await create(other); // nobody has locked its account
    assert.equal(await Promise.race([waiting.then(() => 'written'), delay(300, 'waiting')]), 'waiting');
    await release();
    await waiting;
    assert.deepEqual(await did.getQuotas({}, context), { dids: { used: 1, limit: AMPLE.free } });
});
