import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { newId } from '../../../platform/ids.ts';
import { sql } from '../../../platform/postgres/db.ts';
import { keyStore } from '../../../services/keys/store.ts';
import { testDatabase } from '../../support/harness.ts';

const { db } = await testDatabase();
const FREE = { expires_at: null, scopes: null, allowed: null };

test('the store revokes and renames a key only for its own account, whatever its caller has checked', async () => {
    const store = keyStore(db);
    const [account, keyId, now] = [newId(), newId(), new Date().toISOString()];
    const hash = Buffer.alloc(32, 1);
    await store.insert(
        { key_id: keyId, account, hash, mask: 'm', name: 'a', tier: 'free', created_at: now, ...FREE },
        { most: { active: 1, all: 1 }, since: now },
    );
    const ofAnother = { account: newId(), key_id: keyId, now };
    await store.revoke(ofAnother);
    assert.equal(await store.rename({ ...ofAnother, name: 'b' }), undefined);
    assert.equal((await store.findByHash(hash))?.key_id, keyId);
    assert.equal((await store.find({ account, key_id: keyId }))?.name, 'a');
});

test('expired keys of all accounts are released from the counts of active keys, each once', async () => {
    const store = keyStore(db);
    const at = (ms: number): string => new Date(Date.UTC(2040, 0, 1) + ms).toISOString();
    const keys = Array.from({ length: 3 }, (_, index) => ({
        key_id: newId(),
        account: newId(),
        hash: Buffer.alloc(32, 10 + index),
        mask: 'm',
        name: 'a',
        tier: 'free' as const,
        created_at: at(-1_000),
        ...FREE,
        expires_at: index === 2 ? at(1) : at(0),
    }));
    for (const key of keys) await store.insert(key, { most: { active: 9, all: 9 }, since: at(-1) });
    /** The active keys as the statistics and programs of the previous release count them. */
    const active = () =>
        Promise.all(
            keys.map(async ({ account }) => {
                const [row] = await db.rows(sql.type(z.strictObject({ places: z.number(), counted: z.number() }))`
                    SELECT active_keys AS places, (
                        SELECT sum(amount)::int FROM keys.deltas WHERE account = ${account} AND kind = 'api_keys_active'
                    ) AS counted FROM keys.accounts WHERE account = ${account}`);
                assert.equal(row?.places, row?.counted);
                return row?.places;
            }),
        );
    await store.releaseExpired({ now: at(-1) });
    assert.deepEqual(await active(), [1, 1, 1]);
    await store.releaseExpired({ now: at(0) });
    await store.releaseExpired({ now: at(0) });
    assert.deepEqual(await active(), [0, 0, 1]);
});
