import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../../platform/ids.ts';
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
        { most: { active: 1, all: 1 } },
    );
    const ofAnother = { account: newId(), key_id: keyId, now };
    await store.revoke(ofAnother);
    assert.equal(await store.rename({ ...ofAnother, name: 'b' }), undefined);
    assert.equal((await store.findByHash(hash))?.key_id, keyId);
    assert.equal((await store.find({ account, key_id: keyId }))?.name, 'a');
});
