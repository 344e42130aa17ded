import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { it } from 'node:test';
import { entryOf, startAudit, trusted } from './audit.fixture.ts';

/** Of 1,000 events each, so that one has some 80 kB of data. */
const ROWS = 15;

it('a page of the audit has at most a megabyte of data, and the next one has the rest', async () => {
    const { append, events, exported } = await startAudit();
    for (let row = 0; row < ROWS; row++) await append(entryOf(Array<string>(1_000).fill(randomUUID())));
    const { lines, next_cursor } = await events.listAudit({ from: 0, end: 2 * ROWS }, trusted);
    const lengths = lines.flatMap(({ row }) => (row ? JSON.stringify(row.data).length : []));
    assert.ok(lengths.reduce((sum, length) => sum + length) <= 1 << 20);
    assert.ok(lengths.length > 1 && lengths.length < ROWS, `${lengths.length} rows`);
    assert.equal(next_cursor, lines.length, 'each leaf so far is a line');
    const all = (await exported()).filter((line) => JSON.parse(line).kind === 'row');
    assert.equal(all.length, ROWS);
});
