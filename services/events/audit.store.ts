import { z } from 'zod';
import type { CallLifetime } from '../../platform/context.ts';
import { type Database, sql } from '../../platform/postgres/db.ts';

const rangeRow = z.strictObject({
    start: z.number(),
    end: z.number(),
    edge: z.instanceof(Buffer).nullable(),
    note: z.string().nullable(),
});
const startRow = z.strictObject({ start: z.number() });

const rowRow = z.strictObject({
    leaf: z.number(),
    account: z.string(),
    last_seq: z.number(),
    count: z.number(),
    type: z.string(),
    timestamp: z.string(),
    actor: z.string().nullable(),
    data_sha256: z.instanceof(Buffer),
    /** JSON text of an array of EventData. */
    data: z.string(),
});
const sealRow = z.strictObject({
    leaf: z.number(),
    root: z.instanceof(Buffer),
    checkpoint: z.number(),
    sealed_at: z.string(),
});
const checkpointRow = z.strictObject({ size: z.number(), note: z.string() });

type AuditRow = z.infer<typeof rowRow>;
type SealRow = z.infer<typeof sealRow>;
type CheckpointRow = z.infer<typeof checkpointRow>;

/** The part of the tree that has all events between two times. It begins at a checkpoint, or with the first leaf. */
export interface AuditRange {
    start: number;
    /** Of the tree before `start`. */
    edge: Buffer;
    /** The checkpoint at `start`. */
    note: string | undefined;
    /** The size of the tree at the end. */
    end: number;
}

export async function auditRange(
    db: Database,
    { from, to }: { from: string | undefined; to: string | undefined },
    lifetime?: CallLifetime,
): Promise<AuditRange> {
    const [row] = await db.rows(
        sql.type(rangeRow)`
            WITH range AS (
                SELECT greatest(start, (SELECT max(size) FROM events.checkpoints WHERE made_at <= ${from ?? null})) AS start,
                       CASE WHEN ${to ?? null}::timestamptz IS NULL THEN size
                            ELSE coalesce((SELECT max(leaf) + 1 FROM events.seals WHERE sealed_at <= ${to ?? null}), 0)
                       END AS end
                FROM events.tree
            )
            SELECT range.start, range.end, edge, note FROM range LEFT JOIN events.checkpoints ON size = range.start`,
        'events_audit_range',
        lifetime,
    );
    const { start = 0, end = 0, edge, note } = row ?? {};
    return { start, edge: edge ?? Buffer.alloc(0), note: note ?? undefined, end: Math.max(start, end) };
}

export interface AuditPage {
    rows: readonly AuditRow[];
    seals: readonly SealRow[];
    checkpoints: readonly CheckpointRow[];
}

/**
 * What has the leaves from `from` on, up to the leaf before `end`, and the checkpoints of these sizes. Resolves to undefined
 * if the audit begins after `from` now, because its first events are not kept any more.
 */
export async function auditPage(
    db: Database,
    { from, end }: { from: number; end: number },
    lifetime?: CallLifetime,
): Promise<AuditPage | undefined> {
    const within = (column: string) => {
        const leaf = sql.identifier([column]);
        return sql.fragment`${leaf} >= ${from} AND ${leaf} < ${end} ORDER BY ${leaf}`;
    };
    const [rows, seals, checkpoints] = await Promise.all([
        db.rows(
            sql.type(rowRow)`
                SELECT leaf, account, last_seq, count, type, happened_at AS timestamp, actor, data_sha256,
                       data
                FROM events.log WHERE ${within('leaf')}`,
            'events_audit_rows',
            lifetime,
        ),
        db.rows(
            sql.type(sealRow)`SELECT leaf, root, checkpoint, sealed_at FROM events.seals WHERE ${within('leaf')}`,
            'events_audit_seals',
            lifetime,
        ),
        db.rows(
            sql.type(checkpointRow)`
                SELECT size, note FROM events.checkpoints WHERE size > ${from} AND size <= ${end} ORDER BY size`,
            'events_audit_checkpoints',
            lifetime,
        ),
    ]);
    // The job that removes events moves the start first.
    const [tree] = await db.rows(sql.type(startRow)`SELECT start FROM events.tree`, 'events_audit_start', lifetime);
    return from < (tree?.start ?? 0) ? undefined : { rows, seals, checkpoints };
}
