import assert from 'node:assert/strict';
import { beforeEach, describe, it, mock } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type HttpReadingTurns, httpReadingTurns } from '../../../../platform/http/http-reading-turns.ts';
import { eachTurn } from '../../../../platform/process/turns.ts';
import { ReadSocket } from '../../../support/sockets.ts';

function openSockets(turns: HttpReadingTurns, count: number): ReadSocket[] {
    const sockets = Array.from({ length: count }, () => new ReadSocket());
    for (const socket of sockets) turns.opened(socket);
    return sockets;
}

/** Waits until the turn that accepted connections is over, because such a turn does no work. */
async function accepted(): Promise<void> {
    eachTurn(() => false);
    await nextTurn();
    await nextTurn();
}

/** The time that `performance.now()` returns, so that a busy machine does not change how long a turn takes. */
let nowMs = performance.now();

/** Reads `first` and, after more time than a turn has for reading, `second`. */
function fillTurn(turns: HttpReadingTurns, first: ReadSocket, second: ReadSocket): void {
    turns.read(first);
    nowMs += 11;
    turns.read(second);
}

const countPaused = (sockets: ReadSocket[]): number => sockets.filter(({ isRead }) => !isRead).length;

describe('connections of an HTTP server', () => {
    // The pause after a long turn starts at the latest time seen so far, so the time of a test must be later.
    beforeEach(() => {
        nowMs += 1_000;
        mock.method(performance, 'now', () => nowMs);
    });

    it('are read at any time while a turn of the event loop has time for all of them', async () => {
        const turns = httpReadingTurns();
        const sockets = openSockets(turns, 20);
        for (let turn = 0; turn < 5; turn++) {
            for (const socket of sockets) turns.read(socket);
            assert.equal(countPaused(sockets), 0);
            await nextTurn();
        }
    });

    it('wait if a turn has not read them in time, and are then resumed in turns', async () => {
        const turns = httpReadingTurns();
        const [first, second, ...others] = openSockets(turns, 22) as [ReadSocket, ReadSocket, ...ReadSocket[]];
        await accepted();
        fillTurn(turns, first, second);
        const all = [...others, first, second];
        const paused = [countPaused(all)];
        for (let turn = 0; turn < 4; turn++) {
            await nextTurn();
            paused.push(countPaused(all));
        }
        assert.deepEqual(paused, [22, 12, 4, 0, 0], 'the two that have sent data are resumed in addition');
    });

    it('are resumed at a rate that depends on their rank: trusted, proven, new, other', async () => {
        const turns = httpReadingTurns();
        const [first, second, ...others] = openSockets(turns, 402) as [ReadSocket, ReadSocket, ...ReadSocket[]];
        const groups = [others.slice(0, 100), others.slice(100, 200), others.slice(200, 300), others.slice(300)];
        const [pipelining = [], fresh = [], proven = [], trusted = []] = groups;
        for (const socket of [...pipelining, ...trusted]) for (let n = 0; n < 8; n++) turns.answered(socket);
        for (const socket of proven) for (let n = 0; n < 7; n++) turns.answered(socket);
        for (const socket of pipelining) turns.pipelined(socket);
        await accepted();
        fillTurn(turns, first, second);
        const resumed: number[][] = [];
        for (let turn = 0; turn < 2; turn++) {
            await nextTurn();
            resumed.push([trusted, proven, fresh, pipelining].map((group) => 100 - countPaused(group)));
        }
        assert.deepEqual(resumed, [
            [16, 8, 8, 4],
            [32, 16, 16, 8],
        ]);
    });

    it('are resumed from both ends of their queue if they are new, and keep their end if they are not read', async () => {
        const turns = httpReadingTurns();
        const [first, second, ...fresh] = openSockets(turns, 102) as [ReadSocket, ReadSocket, ...ReadSocket[]];
        const read = () => fresh.flatMap(({ isRead }, index) => (isRead ? index : []));
        await accepted();
        fillTurn(turns, first, second);
        await nextTurn();
        assert.deepEqual(read(), [0, 1, 2, 3, 96, 97, 98, 99]);
        fillTurn(turns, fresh[99] as ReadSocket, fresh[0] as ReadSocket);
        await nextTurn();
        assert.deepEqual(read(), [0, 1, 2, 3, 4, 95, 96, 97, 98, 99], 'those that were read are now among the others');
    });

    it('that send their first request wait behind those that have sent nothing', async () => {
        const turns = httpReadingTurns();
        const senders = openSockets(turns, 20);
        for (const socket of senders) turns.read(socket);
        await nextTurn();
        const [first, second, ...fresh] = openSockets(turns, 6) as [ReadSocket, ReadSocket, ...ReadSocket[]];
        await accepted();
        fillTurn(turns, first, second);
        await nextTurn();
        assert.deepEqual([countPaused(fresh), countPaused(senders)], [0, 16]);
    });

    it('keep their place if they were resumed but not read', async () => {
        const turns = httpReadingTurns();
        const [first, second, ...others] = openSockets(turns, 42) as [ReadSocket, ReadSocket, ...ReadSocket[]];
        for (const socket of others) turns.read(socket);
        await nextTurn();
        await accepted();
        fillTurn(turns, first, second);
        await nextTurn();
        const [one, other] = others as [ReadSocket, ReadSocket];
        fillTurn(turns, one, other);
        assert.equal(countPaused(others), 40);
        await nextTurn();
        assert.equal(countPaused(others.slice(2, 6)), 0, 'the two that were not read come first');
        assert.ok(!one.isRead && !other.isRead, 'the two that were read come last');
    });

    it('also wait if they open while others wait, and are removed when they close', async () => {
        const turns = httpReadingTurns();
        const [first, second, ...others] = openSockets(turns, 22) as [ReadSocket, ReadSocket, ...ReadSocket[]];
        await accepted();
        fillTurn(turns, first, second);
        const [fresh] = openSockets(turns, 1) as [ReadSocket];
        await nextTurn();
        assert.ok(!fresh.isRead);
        for (const socket of others) turns.closed(socket);
        await nextTurn();
        assert.ok(fresh.isRead);
        assert.equal(countPaused(others), 20);
    });
});
