import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { sql } from '../../../platform/postgres/db.ts';
import { leafHash } from '../../../platform/transparency/merkle-tree.ts';
import { pruneEvents } from '../../../services/events/prune.store.ts';
import { entryOf, startAudit, trusted, verdictOn } from './audit.fixture.ts';

/** Two hours of events: three calls, a checkpoint, two calls, a checkpoint, one call. */
async function twoHours() {
    const audit = await startAudit();
    const accounts = [randomUUID(), randomUUID(), randomUUID()];
    const [one = '', two = ''] = accounts;
    await audit.append(entryOf(accounts), entryOf([one], 'key.rotated'));
    await audit.append(entryOf([two, two, one]));
    await audit.append(entryOf([one]));
    await audit.sign();
    await audit.append(entryOf(accounts), entryOf([two], 'key.rotated'));
    await audit.append(entryOf([one]));
    await audit.sign();
    await audit.append(entryOf([two]));
    return { ...audit, accounts };
}

describe('the audit', () => {
    it('has every event once, in the order in which they were appended, and is signed', async () => {
        const { exported, did, append } = await twoHours();
        const lines = await exported();
        const kinds = lines.map((line) => JSON.parse(line).kind);
        const first = ['audit', 'row', 'row', 'row', 'row', 'seal', 'row', 'row', 'seal', 'row', 'seal', 'checkpoint'];
        const second = ['row', 'row', 'row', 'row', 'seal', 'row', 'seal', 'checkpoint', 'row', 'seal', 'end'];
        assert.deepEqual(kinds, [...first, ...second]);
        const { shown } = verdictOn(lines, [did]);
        assert.deepEqual(
            { ...shown, signed_until: undefined },
            {
                rows: 13,
                emptied_rows: 0,
                ...{ unexplained_rows: 0, unexplained_lines: [], unproven_rows: 0, unproven_lines: [] },
                ...{ signed_leaves: 17, signed_until: undefined, unsigned_leaves: 2 },
                issuers: [did],
            },
        );
        assert.match(shown?.signed_until ?? '', /^\d{4}-.*Z$/);
        const again = entryOf([randomUUID()]);
        await append(again);
        const before = (await exported()).length;
        await append(again); // an entry that was appended before adds nothing
        assert.equal((await exported()).length, before);
    });

    it('of which a line was removed, doubled, moved or added is refused, and the line is named', async () => {
        const lines = await (await twoHours()).exported();
        const kinds = lines.map((line) => JSON.parse(line).kind);
        for (const [at, line] of lines.entries()) {
            const isCheckpoint = kinds[at] === 'checkpoint';
            const removed = verdictOn(lines.toSpliced(at, 1));
            // The next seal says which checkpoint is before it.
            const found = isCheckpoint ? kinds.indexOf('seal', at) : at + 1;
            assert.equal(removed.line, found, `${line} is removed: ${removed.fault}`);
            assert.equal(verdictOn(lines.toSpliced(at, 0, line)).line, at + 2, `${line} is there twice`);
            const moved = verdictOn(lines.toSpliced(at, 1).toSpliced(at + 1, 0, line));
            if (at < lines.length - 1) assert.equal(moved.line, isCheckpoint ? at + 2 : at + 1, `${line} is moved`);
            assert.equal(verdictOn(lines.toSpliced(at, 0, '{"kind":"row"}')).line, at + 1);
        }
        assert.equal(verdictOn([]).line, 1);
    });

    it('of which anything was changed is refused, and the line is named', async () => {
        const lines = await (await twoHours()).exported();
        for (const [at, line] of lines.entries()) {
            const members: Record<string, unknown> = JSON.parse(line);
            for (const [name, value] of Object.entries(members)) {
                if (name === 'exported_at') continue; // nobody signs this: only its form is looked at
                const more =
                    typeof value === 'number' ? value + 1 : Array.isArray(value) ? [...value, {}] : `${value}a`;
                for (const other of [more, String(value), null, undefined, [{}], 0]) {
                    const changed = JSON.stringify({ ...members, [name]: other });
                    if (changed === line) continue;
                    if (name === 'data' && changed.endsWith('"data":[{}]}') && members['count'] === 1) {
                        assert.equal(verdictOn(lines.with(at, changed)).shown?.unexplained_lines[0], at + 1);
                        continue;
                    }
                    assert.equal(verdictOn(lines.with(at, changed)).line, at + 1, changed);
                }
            }
            assert.equal(verdictOn(lines.with(at, line.replace(':', ': '))).line, at + 1);
        }
    });

    it('says who has caused an event and with which request; the leaves of an earlier release keep their form', async () => {
        const { append, sign, exported, did, db } = await startAudit();
        const account = randomUUID();
        const [key, session] = [`key:${randomUUID()}`, `session:${randomUUID()}`];
        await append(
            entryOf([account, account]),
            entryOf([account, account], 'key.created', [key, 'one']),
            entryOf([account], 'key.created', [key, 'two']),
            entryOf([account], 'key.created', [session, 'two']),
            entryOf([account], 'key.created', ['service']),
        );
        await sign();
        const lines = await exported();
        assert.equal(verdictOn(lines, [did]).shown?.rows, 4);
        const rows = lines.map((line) => JSON.parse(line)).filter(({ kind }) => kind === 'row');
        assert.deepEqual(
            rows.map(({ actor, data }) => [actor, data.map((item: { request_id?: string }) => item.request_id)]),
            [
                [undefined, [undefined, undefined]],
                [key, ['one', undefined, 'two']],
                [session, ['two']],
                ['service', [undefined]],
            ],
        );
        const [{ last_seq, timestamp, data_sha256, hash }] = rows;
        const old = `["row","${account}",${last_seq},2,"key.created","${timestamp}","${data_sha256}"]`;
        assert.equal(leafHash(old).toString('hex'), hash);
        await db.rows(sql.unsafe`UPDATE events.log SET actor = NULL WHERE actor = ${key}`);
        assert.equal(verdictOn(await exported(), [did]).line, 6, 'the seal no longer has the root');
    });

    it('of another issuer is refused, and so is one that nobody has signed', async () => {
        const { exported, append } = await startAudit();
        await append(entryOf([randomUUID()]));
        assert.match(verdictOn(await exported()).fault ?? '', /nobody has signed/);
        const other = await startAudit();
        const lines = await (await twoHours()).exported();
        assert.match(verdictOn(lines, [other.did]).fault ?? '', /another issuer/);
        assert.ok(verdictOn(lines, [other.did, JSON.parse(lines[11] ?? '').note.split('\n')[0]]).shown);
    });

    it('shows that the database was changed, even if all hashes since the checkpoint were made again', async () => {
        const { db, exported } = await twoHours();
        await db.rows(sql.unsafe`UPDATE events.log SET type = 'key.revoked' WHERE leaf = 1`);
        const verdict = verdictOn(await exported());
        assert.deepEqual([verdict.line, /one of the lines from 2 on/.test(verdict.fault ?? '')], [6, true]);
        await db.rows(
            sql.unsafe`UPDATE events.log SET type = 'key.created', data = '[{"key_id": "other"}]' WHERE leaf = 1`,
        );
        assert.equal(verdictOn(await exported()).line, 3);
        await db.rows(sql.unsafe`DELETE FROM events.log WHERE leaf = 1`);
        assert.equal(verdictOn(await exported()).line, 3);
    });

    it('holds when an account is erased: its rows lose their data and keep their hashes', async () => {
        const { events, exported, sign, append, accounts, did } = await twoHours();
        const [account = ''] = accounts;
        while (!(await events.eraseAccount({ user_id: account }, trusted)).done);
        await append(entryOf([account]), entryOf([account], 'account.erased')); // an event that was under way
        const unsigned = verdictOn(await exported(), [did]).shown;
        assert.deepEqual([unsigned?.unproven_rows, unsigned?.unproven_lines.length], [7, 7]);
        await sign();
        const lines = await exported();
        const { shown } = verdictOn(lines, [did]);
        assert.deepEqual(
            [shown?.rows, shown?.emptied_rows, shown?.unexplained_rows, shown?.unproven_rows],
            [15, 7, 0, 0],
        );
        assert.ok(lines.every((line) => !line.includes(account) || !line.includes('key_id')));
    });

    it('begins at a checkpoint: at the last one before a time, or at that before the oldest event', async () => {
        const { db, exported, did } = await twoHours();
        await db.rows(sql.unsafe`
            UPDATE events.checkpoints SET made_at = now() - interval '401 days'
            WHERE size = (SELECT min(size) FROM events.checkpoints)`);
        const from = new Date(Date.now() - 300 * 86_400_000).toISOString();
        const part = await exported({ from });
        assert.equal(verdictOn(part, [did]).shown?.rows, 6);
        assert.match(verdictOn(part.toSpliced(1, 1)).fault ?? '', /checkpoint before it is missing/);
        assert.ok((await exported()).length > part.length);
        await pruneEvents(db);
        const kept = await exported();
        assert.deepEqual(kept.slice(1), part.slice(1));
        assert.deepEqual((await exported({ to: from })).length, 3); // first line, checkpoint, end
    });

    it('has no gaps, whatever is appended and signed at once', async () => {
        const { append, sign, exported, did } = await startAudit();
        const accounts = [randomUUID(), randomUUID()];
        const entries = Array.from({ length: 40 }, (_, index) => entryOf(index % 3 === 0 ? accounts : [randomUUID()]));
        await Promise.all(
            entries.map(async (entry, index) => {
                await append(entry);
                if (index % 5 === 0) await sign();
            }),
        );
        await sign();
        const { shown } = verdictOn(await exported(), [did]);
        assert.deepEqual([shown?.rows, shown?.unsigned_leaves], [54, 0]);
    });

    it('takes no checkpoint of another tree, and is for trusted callers only', async () => {
        const { events, signing, append } = await startAudit();
        await append(entryOf([randomUUID()]));
        const { size, edge } = await events.getTreeHead({}, trusted);
        const invalid = { kind: 'invalid' };
        await assert.rejects(events.addCheckpoint({ size: size - 1, edge, note: '' }, trusted), invalid);
        await assert.rejects(
            events.addCheckpoint({ size, edge: edge.map((byte) => byte ^ 1), note: '' }, trusted),
            invalid,
        );
        await assert.rejects(events.addCheckpoint({ size, edge, note: 'a'.repeat(1_001) }, trusted), invalid);
        await assert.rejects(events.findAudit({ from: 'yesterday', to: undefined }, trusted), invalid);
        const [noon, one] = ['2026-11-20T12:00:00Z', '2026-11-20T12:00:00-01:00'];
        await assert.rejects(events.findAudit({ from: one, to: noon }, trusted), { detail: 'from must be before to.' });
        for (const from of [noon, undefined]) assert.ok(await events.findAudit({ from, to: noon }, trusted));
        await assert.rejects(events.listAudit({ from: -1, end: 1 }, trusted), invalid);
        await assert.rejects(signing.signCheckpoint({ size: 0, edge: Buffer.alloc(0) }, trusted), invalid);
        await assert.rejects(signing.signCheckpoint({ size: 1, edge: Buffer.alloc(31) }, trusted), invalid);
        const someone = { ...trusted, trusted: false, user_id: randomUUID() };
        const forbidden = { kind: 'forbidden' };
        await assert.rejects(events.getTreeHead({}, someone), forbidden);
        await assert.rejects(events.addCheckpoint({ size, edge, note: '' }, someone), forbidden);
        await assert.rejects(events.findAudit({ from: undefined, to: undefined }, someone), forbidden);
        await assert.rejects(events.listAudit({ from: 0, end: 1 }, someone), forbidden);
        await assert.rejects(signing.signCheckpoint({ size: 1, edge: Buffer.alloc(32) }, someone), forbidden);
        await assert.rejects(signing.getCheckpoint({}, someone), forbidden);
    });
});
