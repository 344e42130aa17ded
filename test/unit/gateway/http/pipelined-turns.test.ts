import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pipelinedTurns } from '../../../../gateway/http/pipelined-turns.ts';

describe('pipelined requests', () => {
    it('begin in their order, connection by connection, behind what has arrived meanwhile', async () => {
        const beginInTurn = pipelinedTurns();
        const begun: string[] = [];
        const [one, other] = [new Socket(), new Socket()];
        for (const name of ['a1', 'a2', 'a3']) beginInTurn(one, name === 'a1', () => begun.push(name));
        for (const name of ['b1', 'b2']) beginInTurn(other, name === 'b1', () => begun.push(name));
        assert.deepEqual(begun, ['a1', 'b1'], 'the first request of a connection does not wait');
        await nextTurn();
        assert.deepEqual(begun, ['a1', 'b1', 'a2', 'b2', 'a3']);
    });

    it('never pass one of their connection that waits, when the one before is answered', async () => {
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

    it('leave the event loop to others after 8 in one turn', async () => {
        const beginInTurn = pipelinedTurns();
        let begun = 0;
        const sockets = Array.from({ length: 10 }, () => new Socket());
        for (let round = 0; round < 10; round++) {
            for (const socket of sockets) beginInTurn(socket, false, () => begun++);
        }
        const after_turns = [];
        for (let turn = 0; turn < 5; turn++) {
            await nextTurn();
            after_turns.push(begun);
        }
        assert.deepEqual(after_turns, [8, 16, 24, 32, 40]);
    });
});
