import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { it } from 'node:test';
import { checkpointOf } from '../../../cli/src/audit/checkpoint.ts';
import { KeptCheckpoint } from '../../../cli/src/audit/kept-checkpoint.ts';
import { sql } from '../../../platform/postgres/db.ts';
import { entryOf, startAudit, trusted, verdictOn } from './audit.fixture.ts';

type Audit = Awaited<ReturnType<typeof startAudit>>;

/** Appends as many rows, each with its seal, and signs the tree. */
async function hour({ append, sign }: Audit, rows: number): Promise<void> {
    for (let row = 0; row < rows; row++) await append(entryOf([randomUUID()]));
    await sign();
}

/** The last checkpoint of an audit. */
function keptOf(lines: readonly string[]): KeptCheckpoint {
    const { note } = JSON.parse(lines.findLast((line) => line.includes('"kind":"checkpoint"')) ?? '');
    return new KeptCheckpoint(checkpointOf(note, []));
}

/** Empties the log, as whoever has the databases can. */
async function rewind({ db }: Audit): Promise<void> {
    for (const table of ['log', 'seals', 'checkpoints', 'heads'])
        await db.rows(sql.unsafe`DELETE FROM ${sql.identifier(['events', table])}`);
    await db.rows(sql.unsafe`UPDATE events.tree SET size = 0, edge = '', checkpoint = 0, start = 0`);
}

it('an audit contains the kept checkpoint of every earlier one, also if it begins there', async () => {
    const audit = await startAudit();
    await hour(audit, 3);
    const first = await audit.exported();
    await hour(audit, 2);
    const from = new Date(Date.now() + 1).toISOString(); // not before the checkpoint, whose time has microseconds
    const second = await audit.exported();
    await hour(audit, 1);
    const third = await audit.exported();
    const part = await audit.exported({ from });
    for (const lines of [first, second, third])
        assert.ok(verdictOn(third, [audit.did], keptOf(lines)).shown, verdictOn(third, [], keptOf(lines)).fault);
    assert.ok(verdictOn(part, [audit.did], keptOf(second)).shown);
    assert.match(verdictOn(part, [], keptOf(first)).fault ?? '', /begins after the 6 leaves of the kept checkpoint/);
    assert.deepEqual(verdictOn(first, [], keptOf(second)), {
        line: first.length,
        fault: 'The kept checkpoint has 10 leaves, and this audit has 6: the last ones were removed, or it is older.',
    });
});

it('a log that was rewritten and signed again does not contain it', async () => {
    const audit = await startAudit();
    await hour(audit, 3);
    const kept = keptOf(await audit.exported());
    await rewind(audit);
    await audit.db.rows(sql.unsafe`DELETE FROM signing.checkpoint`);
    await hour(audit, 5);
    const rewritten = await audit.exported();
    assert.ok(verdictOn(rewritten, [audit.did]).shown, 'it is whole and signed');
    const { line = 0, fault = '' } = verdictOn(rewritten, [audit.did], kept);
    assert.match(fault, /another root for these 6 leaves: one of the lines up to this one was changed/);
    assert.equal(JSON.parse(rewritten[line - 1] ?? '').leaf, 5);
});

it('a log that has shrunk or was rewritten is not signed any more', async () => {
    const audit = await startAudit();
    const { append, sign, signing, events } = audit;
    await hour(audit, 3);
    const { size, edge } = await events.getTreeHead({}, trusted);
    const other = { size, edge: edge.map((byte) => byte ^ 1) };
    await assert.rejects(signing.signCheckpoint(other, trusted), { kind: 'unprocessable' });
    const smaller = await signing.signCheckpoint({ size: 1, edge: Buffer.alloc(32) }, trusted);
    assert.equal(smaller.size, size, 'the last one is returned');

    await rewind(audit);
    const lost = { message: 'the log of the audit does not contain the 6 leaves that were signed' };
    await assert.rejects(sign(), lost);
    for (let row = 0; row < 5; row++) {
        await append(entryOf([randomUUID()]));
        await assert.rejects(sign(), lost);
    }
    assert.equal((await signing.getCheckpoint({}, trusted)).checkpoint?.size, 6);
});
