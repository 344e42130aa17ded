import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import { readingTurns } from '../../../../../platform/rpc/bounds/reading-turns.ts';
import { ReadSocket } from '../../../../support/sockets.ts';

/** Connections that have been added one after the other, and a clock that the test moves. */
function add(count: number, t: { after(run: () => void): void }) {
    mock.timers.enable({ apis: ['setInterval'] });
    const turns = readingTurns();
    t.after(() => {
        turns.stop();
        mock.timers.reset();
    });
    const sockets = Array.from({ length: count }, () => new ReadSocket());
    for (const socket of sockets) turns.add(socket);
    const read = (): number[] => sockets.flatMap(({ isRead }, index) => (isRead ? [index] : []));
    return { turns, sockets, read };
}

describe('connections without a token', () => {
    it('are read eight at a time, the newest ones first', (t) => {
        const { read } = add(20, t);
        assert.deepEqual(read(), [12, 13, 14, 15, 16, 17, 18, 19]);
    });

    it('take turns every 10 ms, so that each of them is read', (t) => {
        const { read, sockets } = add(20, t);
        const seen = new Set<number>(read());
        for (let turn = 0; turn < 2; turn++) {
            mock.timers.tick(10);
            assert.equal(read().length, 8);
            for (const index of read()) seen.add(index);
        }
        assert.equal(seen.size, sockets.length);
    });

    it('are read without pauses if there are no more than eight', (t) => {
        const { read } = add(8, t);
        mock.timers.tick(100);
        assert.equal(read().length, 8);
    });

    it('leave the turns when they are removed, and are then always read', (t) => {
        const { turns, sockets, read } = add(20, t);
        const [first] = sockets;
        turns.remove(first as ReadSocket); // there are twenty
        for (let turn = 0; turn < 5; turn++) {
            assert.ok(read().includes(0));
            assert.equal(read().length, 9);
            mock.timers.tick(10);
        }
    });
});
