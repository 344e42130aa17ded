import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { piecesOf } from '../../../gateway/batch-answer.ts';

const declared = z.object({
    results: z.array(z.object({ index: z.number(), ok: z.boolean(), text: z.string() })),
    failed: z.array(z.string()),
    total: z.number(),
});

async function joined(answer: Record<string, unknown>): Promise<string> {
    let text = '';
    for await (const piece of piecesOf(declared, answer)) text += piece;
    return text;
}

const resultsOf = (count: number) => Array.from({ length: count }, (_, index) => ({ index, ok: true, text: 'é"\n' }));

for (const count of [0, 1, 32, 33, 64, 1_000]) {
    test(`the pieces of ${count} results are the JSON text of the answer`, async () => {
        const answer = { results: resultsOf(count), failed: [], total: count };
        assert.deepEqual(JSON.parse(await joined(answer)), answer);
    });
}

test('between the groups of results the event loop takes other work', async () => {
    let turns = 0;
    let isWritten = false;
    setImmediate(function turn() {
        turns++;
        if (!isWritten) setImmediate(turn);
    });
    await joined({ results: resultsOf(1_000), failed: [], total: 1_000 });
    isWritten = true;
    assert.ok(turns >= 30, `${turns} turns`);
});
