import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pipelinedTurns } from '../../../../gateway/http/pipelined-turns.ts';

describe('pipelined requests', () => {
    it('begin in order, and connections take turns', async () => {
        const beginInTurn = pipelinedTurns();
        const begun: string[] = [];
        const [one, other] = [new Socket(), new Socket()];
        for (const name of ['a1', 'a2', 'a3']) beginInTurn(one, name === 'a1', () => begun.push(name));
        for (const name of ['b1', 'b2']) beginInTurn(other, name === 'b1', () => begun.push(name));
        assert.deepEqual(begun, ['a1', 'b1'], 'the first request of a connection does not wait');
        await nextTurn();
        assert.deepEqual(begun, ['a1', 'b1', 'a2', 'b2', 'a3']);
    });

    it('never overtake an earlier request of their connection that still waits', async () => {
        const beginInTurn = pipelinedTurns();
        const begun: number[] = [];
        const socket = new Socket();
        beginInTurn(socket, true, () => begun.push(1));
        beginInTurn(socket, false, () => begun.push(2));
        beginInTurn(socket, true, () => begun.push(3));
        assert.deepEqual(begun, [1]);
        await nextTurn();
        assert.deepEqual(begun, [1, 2, 3]);
    });

    it('of closed connections neither begin nor take the turns of others', async () => {
        const beginInTurn = pipelinedTurns();
        const closed = Array.from({ length: 20 }, () => new Socket().destroy());
        let begun = 0;
        for (const socket of closed) beginInTurn(socket, false, () => assert.fail('it began'));
        beginInTurn(new Socket(), false, () => begun++);
        await nextTurn();
        assert.equal(begun, 1);
    });

    it('begin at most 8 in each turn of the event loop', async () => {
        const beginInTurn = pipelinedTurns();
        let begun = 0;
        const sockets = Array.from({ length: 10 }, () => new Socket());
        for (let round = 0; round < 10; round++) {
            for (const socket of sockets) beginInTurn(socket, false, () => begun++);
        }
        const afterTurns = [];
        for (let turn = 0; turn < 5; turn++) {
            await nextTurn();
            afterTurns.push(begun);
        }
        assert.deepEqual(afterTurns, [8, 16, 24, 32, 40]);
    });
});
