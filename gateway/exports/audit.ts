import { z } from 'zod';
import { type CallContext, REQUEST_TIMEOUT_MS } from '../../platform/context.ts';
import { leafHash } from '../../platform/transparency/merkle-tree.ts';
import { rowLeaf, sealLeaf } from '../../proto/audit-leaves.ts';
import type { AuditLine, AuditRow } from '../../proto/gen/events/v1/events.ts';
import { shownBytes } from '../answer-fields.ts';
import { event } from '../endpoints/events.ts';
import type { Services } from '../services.ts';
import { sinceUpgrade } from '../upgrading.ts';

const number = z.number();

/** The lines of an audit. */
export const auditLine = z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('audit'), version: number, exported_at: z.string(), start: number, edge: shownBytes }),
    z.object({
        kind: z.literal('row'),
        leaf: number,
        account: z.string(),
        last_seq: number,
        count: number,
        type: z.string(),
        timestamp: z.string(),
        actor: z.string().optional(),
        data_sha256: z.string(),
        hash: z.string(),
        data: z.array(event.shape.data.extend({ timestamp: z.string().optional(), request_id: z.string().optional() })),
    }),
    z.object({
        kind: z.literal('seal'),
        leaf: number,
        checkpoint: number,
        sealed_at: z.string(),
        hash: z.string(),
        root: shownBytes,
    }),
    z.object({ kind: z.literal('checkpoint'), size: number, note: z.string() }),
    z.object({ kind: z.literal('end'), size: number, checkpoint: number }),
]);

/** The version of the form of an audit. It grows when a program that reads audits must change. */
const VERSION = 2;

/** The pages of the audit between two times. The last line says how large the tree is, and which checkpoint is the last. */
export async function* auditPages(
    { events }: Pick<Services, 'events'>,
    times: { from: string | undefined; to: string | undefined },
    context: CallContext,
): AsyncGenerator<object[], void> {
    // Each page has the time limit of a call. The duration of the export depends on the reader.
    const own = () => ({ ...context, deadline: performance.now() + REQUEST_TIMEOUT_MS });
    const { start, edge, note, end } = await sinceUpgrade(events.findAudit(times, own()));
    const first = { kind: 'audit', version: VERSION, exported_at: new Date().toISOString(), start, edge };
    yield note === undefined ? [first] : [first, { kind: 'checkpoint', size: start, note }];
    let checkpoint = start;
    let from: number | undefined = start;
    do {
        const { lines, next_cursor } = await events.listAudit({ from, end }, own());
        for (const line of lines) checkpoint = line.checkpoint?.size ?? checkpoint;
        if (lines.length > 0) yield lines.flatMap(shown);
        from = next_cursor;
    } while (from !== undefined);
    yield [{ kind: 'end', size: end, checkpoint }];
}

/** The hash of a leaf follows from its line. It shows which line was changed, not that none was. */
function shown({ row, seal, checkpoint }: AuditLine): object[] {
    return [
        ...(row ? [shownRow(row)] : []),
        ...(seal ? [{ kind: 'seal', ...seal, hash: leafHash(sealLeaf(seal)).toString('hex') }] : []),
        ...(checkpoint ? [{ kind: 'checkpoint', ...checkpoint }] : []),
    ];
}

function shownRow(row: AuditRow): object {
    const data = row.data.map(({ data, ...event }) => ({ ...data, ...event }));
    return { kind: 'row', ...row, data, hash: leafHash(rowLeaf(row)).toString('hex') };
}
