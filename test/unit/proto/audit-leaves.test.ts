import assert from 'node:assert/strict';
import test from 'node:test';
import { dataText } from '../../../proto/audit-leaves.ts';

test('the members of each event are in the order of their names, in whatever order they come', () => {
    const events = [{ offer_id: '1', account: '2', kid: '3' }, { account: '2', kid: '3', offer_id: '1' }, {}];
    const inOrder = '{"account":"2","kid":"3","offer_id":"1"}';
    assert.equal(dataText(events), `[${inOrder},${inOrder},{}]`);
});
