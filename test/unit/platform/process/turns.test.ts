import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { eachTurn, inTurn, workInTurns } from '../../../../platform/process/turns.ts';

/**
 * Waits until `done` has so many items. Returns those that each turn has added. There may be turns that add none: on a
 * busy machine a short call takes long, and the work pauses after it.
 */
async function turnsOf<Item>(done: readonly Item[], count: number): Promise<Item[][]> {
    const turns: Item[][] = [];
    for (let seen = 0; seen < count; seen = done.length) {
        await nextTurn();
        if (done.length > seen) turns.push(done.slice(seen));
    }
    return turns;
}

describe('work in turns of the event loop', () => {
    it('is called once in each turn, until it is done', async () => {
        const calls: string[] = [];
        const work = (name: string, times: number) => () => {
            calls.push(name);
            return --times > 0;
        };
        eachTurn(work('one', 3));
        eachTurn(work('other', 2));
        assert.deepEqual(await turnsOf(calls, 5), [['one', 'other'], ['one', 'other'], ['one']]);
        await nextTurn();
        assert.equal(calls.length, 5);
    });

    it('is done whole in a later turn, and its error is that of the caller', async () => {
        const done: string[] = [];
        const outcomes = ['first', 'second'].map((name) => inTurn(() => done.push(name)));
        const failing = inTurn(() => {
            throw new Error('unreadable');
        });
        assert.deepEqual(done, []);
        await assert.rejects(failing, /unreadable/);
        assert.deepEqual(
            [await Promise.all(outcomes), done],
            [
                [1, 2],
                ['first', 'second'],
            ],
        );
    });

    it('is done in order, and a few pieces in each turn', async () => {
        const inPart = workInTurns(2);
        const done: number[] = [];
        for (let piece = 1; piece <= 5; piece++) inPart(() => done.push(piece));
        assert.deepEqual(done, []);
        assert.deepEqual(await turnsOf(done, 5), [[1, 2], [3, 4], [5]]);
    });

    it('pauses after long work for as long as the work took', async () => {
        const began: number[] = [];
        eachTurn(() => {
            began.push(performance.now());
            const end = performance.now() + 10;
            while (performance.now() < end);
            return began.length < 3;
        });
        while (began.length < 3) await nextTurn();
        const [first = 0, , third = 0] = began;
        assert.ok(third - first >= 40, `three times 10 ms began within ${third - first} ms`);
    });

    it('goes on after one call of it has thrown', async (context) => {
        const thrown: unknown[] = [];
        const before = process.listeners('uncaughtException');
        process.removeAllListeners('uncaughtException').on('uncaughtException', (error) => thrown.push(error));
        context.after(() => {
            process.removeAllListeners('uncaughtException');
            for (const listener of before) process.on('uncaughtException', listener);
        });
        let calls = 0;
        eachTurn(() => {
            if (++calls === 1) throw new Error('once');
            return false;
        });
        // The pause after earlier work may still last.
        while (calls < 2) await delay(1);
        assert.equal(calls, 2);
        assert.equal(thrown.length, 1);
    });
});
