import { z } from 'zod';
import { type Database, type Queries, sql } from '../../platform/postgres/db.ts';
import { ERASED_ROWS } from '../../platform/postgres/prune.ts';
import type { ErasureStep } from '../erasure.ts';

/**
 * The data of an emptied row: an empty object for each of its events. It is no subquery, because Citus (13.2.2) mixes the
 * columns of an INSERT up, and may crash, if its SELECT has one as a column.
 */
export function emptied(count: ReturnType<typeof sql.fragment>) {
    return sql.fragment`'[{}' || repeat(',{}', ${count} - 1) || ']'`;
}

const headRow = z.strictObject({ emptied_to: z.number() });
const emptiedRow = z.strictObject({ last_seq: z.number() });

/**
 * The step that erases an account. It first notes in the account's head that it is erased, so that the events which its
 * services still pass on are appended empty.
 */
export function eventErasure(db: Database): readonly ErasureStep[] {
    return [
        (account, context) => db.transaction((transaction) => emptyNext(transaction, account), 'events_erase', context),
    ];
}

async function emptyNext({ rows }: Queries, account: string): Promise<boolean> {
    const [head] = await rows(sql.type(headRow)`
        INSERT INTO events.heads AS heads (account, seq, emptied_to) VALUES (${account}, 0, 0)
        ON CONFLICT (account) DO UPDATE SET emptied_to = coalesce(heads.emptied_to, 0)
        RETURNING emptied_to`);
    const done = await rows(sql.type(emptiedRow)`
        UPDATE events.log SET data = ${emptied(sql.fragment`log.count`)}
        WHERE account = ${account} AND last_seq = ANY(ARRAY(
            SELECT last_seq FROM events.log WHERE account = ${account} AND last_seq > ${head?.emptied_to ?? 0}
            ORDER BY last_seq LIMIT ${ERASED_ROWS}))
        RETURNING last_seq`);
    const last = Math.max(0, ...done.map(({ last_seq }) => last_seq));
    await rows(sql.unsafe`
        UPDATE events.heads SET emptied_to = greatest(emptied_to, ${last}) WHERE account = ${account}`);
    return done.length < ERASED_ROWS;
}
