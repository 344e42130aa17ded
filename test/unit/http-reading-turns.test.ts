import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type HttpReadingTurns, httpReadingTurns } from '../../platform/http-reading-turns.ts';

function openSockets(turns: HttpReadingTurns, count: number): Socket[] {
    const sockets = Array.from({ length: count }, () => new Socket());
    for (const socket of sockets) turns.opened(socket);
    return sockets;
}

/** Pipelines as many requests as one turn of the event loop may bring. */
function fillTurn(turns: HttpReadingTurns, socket: Socket): void {
    for (let count = 0; count < 128; count++) turns.pipelined(socket);
}

const countPaused = (sockets: Socket[]): number => sockets.filter((socket) => socket.isPaused()).length;

describe('connections that pipeline', () => {
    it('are read at any time while they pipeline little', async () => {
        const turns = httpReadingTurns();
        const sockets = openSockets(turns, 20);
        for (let turn = 0; turn < 5; turn++) {
            for (let count = 0; count < 127; count++) turns.pipelined(sockets[count % 20] as Socket);
            assert.equal(countPaused(sockets), 0);
            await nextTurn();
        }
    });

    it('wait once they have brought 128 requests in a turn, and are then read 8 at a time', async () => {
        const turns = httpReadingTurns();
        const sockets = openSockets(turns, 20);
        fillTurn(turns, sockets[0] as Socket);
        const paused = [countPaused(sockets)];
        for (let turn = 0; turn < 4; turn++) {
            await nextTurn();
            paused.push(countPaused(sockets));
        }
        assert.deepEqual(paused, [20, 12, 4, 0, 0]);
    });

    it('make new connections wait behind them, but none that was answered and has never pipelined', async () => {
        const turns = httpReadingTurns();
        const [pipelining, answered, both] = openSockets(turns, 3) as [Socket, Socket, Socket];
        turns.pipelined(both);
        turns.answered(both);
        turns.answered(answered);
        fillTurn(turns, pipelining);
        const [fresh] = openSockets(turns, 1) as [Socket];
        assert.deepEqual(
            [pipelining, answered, both, fresh].map((socket) => socket.isPaused()),
            [true, false, true, true],
        );
        await nextTurn();
        assert.equal(countPaused([pipelining, both, fresh]), 0);
    });

    it('are forgotten when they close', async () => {
        const turns = httpReadingTurns();
        const sockets = openSockets(turns, 20);
        fillTurn(turns, sockets[0] as Socket);
        for (const socket of sockets.slice(0, 15)) turns.closed(socket);
        await nextTurn();
        assert.deepEqual(
            sockets.map((socket) => socket.isPaused()),
            sockets.map((_, index) => index < 15),
        );
    });
});
