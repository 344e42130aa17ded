import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
    accountOfBucket,
    accountsAwaitingRollUp,
    bucketsAwaitingRollUp,
    epochKey,
    internalBucket,
    keyBucket,
    sessionsBucket,
} from '../../../../platform/access/limit-record.ts';

it('the keys of the limiter contain the shard, the account and the kind of caller', () => {
    assert.equal(keyBucket('{3}', 'a', 'k'), 'limit:{3}:a:key:k');
    assert.equal(sessionsBucket('{3}', 'a'), 'limit:{3}:a:sessions');
    assert.equal(internalBucket('{3}', 'a'), 'limit:{3}:a:internal');
    assert.equal(bucketsAwaitingRollUp('{3}', 'a'), 'unfolded:{3}:a');
    assert.equal(accountsAwaitingRollUp('{3}'), 'unfolded:{3}');
    assert.equal(epochKey('{3}'), 'era:{3}');
});

it('the account can be read from the name of a bucket', () => {
    for (const bucket of [keyBucket('{3}', 'a', 'k'), sessionsBucket('{3}', 'a'), internalBucket('{3}', 'a')]) {
        assert.equal(accountOfBucket(bucket), 'a');
    }
    assert.equal(accountOfBucket('x'), '');
});
