import assert from 'node:assert/strict';
import { it } from 'node:test';
import { addressBucket, epochKey, keyBucket, sessionsBucket } from '../../../../platform/access/buckets.ts';

it('the keys of the limiter contain the shard and whose calls they count', () => {
    assert.equal(keyBucket('{3}', 'a', 'k'), 'window:{3}:a:key:k');
    assert.equal(sessionsBucket('{3}', 'a'), 'window:{3}:a:sessions');
    assert.equal(addressBucket('{3}', 'calls', '192.0.2.1'), 'window:{3}:address:calls:192.0.2.1');
    assert.equal(epochKey('{3}'), 'era:{3}');
});
