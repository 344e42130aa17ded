import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { DATA_MEMBERS } from '../../../cli/src/audit/line.ts';
import { auditLine } from '../../../gateway/exports/audit.ts';
import { entryOf, startAudit, verdictOn } from './audit.fixture.ts';

describe('a line of the audit that the service would not write', () => {
    it('is refused and named', async () => {
        const { append, sign, exported } = await startAudit();
        await append(entryOf([randomUUID()]));
        await sign();
        const lines = await exported();
        assert.ok(verdictOn(lines).shown);
        const row = JSON.parse(lines[1] ?? '');
        const [data] = row.data;
        const reordered = Object.fromEntries(Object.entries(data).reverse());
        for (const other of [[null], [[]], [5], [''], null, [reordered]])
            assert.equal(verdictOn(lines.with(1, JSON.stringify({ ...row, data: other }))).line, 2, String(other));
        const head = JSON.parse(lines[0] ?? '');
        for (const time of ['2020-01-01', '2020-01-01T00:00:00Z', 'x', 5, null])
            assert.equal(verdictOn(lines.with(0, JSON.stringify({ ...head, exported_at: time }))).line, 1);
    });

    it('is told by the members of data, which are those that the gateway declares, in its order', () => {
        const [, row] = auditLine.options;
        assert.deepEqual(Object.keys(row.shape.data.element.shape), DATA_MEMBERS);
    });
});
