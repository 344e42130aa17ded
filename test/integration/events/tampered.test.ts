import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { it } from 'node:test';
import { sql } from '../../../platform/postgres/db.ts';
import { entryOf, startAudit, verdictOn } from './audit.fixture.ts';

const { db, append, sign, exported, did } = await startAudit();
const account = randomUUID();
await append(entryOf([account, randomUUID()]));
await append(entryOf([account], 'key.rotated', [`key:${randomUUID()}`, 'one']));
await sign();
await append(entryOf([account]));
await append(entryOf([randomUUID()], 'key.rotated'));
await sign();

const TABLES = ['log', 'seals', 'checkpoints', 'tree'];
const run = (text: string) => db.rows({ ...sql.unsafe``, sql: text });
for (const table of TABLES) await run(`CREATE TABLE events.${table}_before AS TABLE events.${table}`);
const kindsOf = (lines: readonly string[]) => lines.map((line) => JSON.parse(line).kind).join(' ');
const whole = await exported();
assert.equal(kindsOf(whole), 'audit row row seal row seal checkpoint row seal row seal checkpoint end');

/** What somebody who can write to the database changes, and the line that is named. The lines are numbered from 1. */
const CHANGES: ReadonlyArray<[change: string, line: number]> = [
    ...[
        `account = '${randomUUID()}'`,
        'last_seq = last_seq + 7',
        "type = 'key.revoked'",
        "happened_at = happened_at - interval '1 day'",
        "actor = 'trusted'",
    ].map((set): [string, number] => [`UPDATE events.log SET ${set} WHERE leaf = 3`, 6]),
    ['UPDATE events.log SET data_sha256 = sha256(data_sha256) WHERE leaf = 3', 5],
    [`UPDATE events.log SET data = '[{"key_id": "other"}]' WHERE leaf = 3`, 5],
    [`UPDATE events.log SET data = '[{}]' WHERE leaf = 3`, 5],
    ['UPDATE events.log SET count = 2 WHERE leaf = 3', 5],
    ['DELETE FROM events.log WHERE leaf = 3', 5],
    ['UPDATE events.log SET leaf = 1 - leaf WHERE leaf IN (0, 1)', 4],
    [
        `INSERT INTO events.log (account, last_seq, count, type, happened_at, data, leaf, data_sha256)
         SELECT '${randomUUID()}', 1, 1, type, happened_at, data, 4, data_sha256 FROM events.log WHERE leaf = 3`,
        7,
    ],
    ['UPDATE events.seals SET root = sha256(root) WHERE leaf = 4', 6],
    ["UPDATE events.seals SET sealed_at = sealed_at - interval '1 day' WHERE leaf = 4", 6],
    ['UPDATE events.seals SET checkpoint = 1 WHERE leaf = 4', 6],
    ['UPDATE events.seals SET leaf = 12 WHERE leaf = 4', 6],
    ['DELETE FROM events.seals WHERE leaf = 4', 6],
    ["UPDATE events.checkpoints SET note = replace(note, E'\\n5\\n', E'\\n4\\n') WHERE size = 5", 7],
    ['UPDATE events.checkpoints SET note = (SELECT note FROM events.checkpoints WHERE size = 9) WHERE size = 5', 7],
    ["UPDATE events.checkpoints SET note = left(note, -8) || 'AAAAAA==' WHERE size = 5", 7],
    [`UPDATE events.checkpoints SET note = note || E'\\u2014 other AAAAAAAA\\n' WHERE size = 5`, 7],
    ['UPDATE events.checkpoints SET size = 4 WHERE size = 5', 6],
    ['DELETE FROM events.checkpoints WHERE size = 5', 8],
    ['UPDATE events.tree SET size = 8', 11],
];

async function restore(): Promise<void> {
    for (const table of TABLES) {
        await run(`DELETE FROM events.${table}`);
        await run(`INSERT INTO events.${table} SELECT * FROM events.${table}_before`);
    }
}

for (const [change, line] of CHANGES) {
    it(`the audit names the line: ${change.replaceAll(/\s+/g, ' ')}`, async () => {
        await run(change);
        const verdict = verdictOn(await exported(), [did]);
        await restore();
        assert.equal(verdict.line ?? verdict.shown?.unexplained_lines[0], line, verdict.fault);
        assert.ok(verdictOn(await exported(), [did]).shown);
    });
}

it('the audit names the seal of what is appended after the head of the tree was changed, although it is signed then', async () => {
    await run('UPDATE events.tree SET edge = sha256(edge) || substr(edge, 33)');
    await append(entryOf([account]));
    await sign();
    assert.equal(verdictOn(await exported(), [did]).line, 14);
    await restore();
});
