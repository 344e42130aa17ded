import { type Coalescer, coalesce } from '../../platform/batch.ts';
import type { CallLifetime } from '../../platform/context.ts';
import { type Database, isRefusedStatement, STORE_GROUPS, sql } from '../../platform/postgres/db.ts';
import { appendPendingCounts } from '../pending-counts.store.ts';

export interface PresentationRow {
    /** UUID */
    id: string;
    account: string | undefined;
    created_at: string;
    credentials_count: number;
    holder: string;
    audience: string;
}

export interface PresentationStore {
    /** Inserts the row unless one with this id exists. */
    insert: Coalescer<PresentationRow, void>;
}

export function presentationStore(db: Database): PresentationStore {
    return {
        insert: coalesce({
            ...STORE_GROUPS,
            name: 'presentation_insert',
            bisectOn: isRefusedStatement,
            async run(rows: PresentationRow[], group) {
                await insertGroup(db, rows, group);
                return rows.map(() => undefined);
            },
        }),
    };
}

async function insertGroup(db: Database, rows: PresentationRow[], group: CallLifetime): Promise<void> {
    const tuples = rows.map((row) => [
        row.id,
        row.account ?? null,
        row.created_at,
        row.credentials_count,
        row.holder,
        row.audience,
    ]);
    const types = ['uuid', 'uuid', 'timestamptz', 'int2', 'text', 'text'];
    await db.prepared(
        'presentations_insert',
        sql.unsafe`
        WITH written AS (
            INSERT INTO presentations.presentations (id, account, created_at, credentials_count, holder, audience)
            SELECT * FROM ${sql.unnest(tuples, types)}
            ON CONFLICT (id) DO NOTHING
            RETURNING account
        )
        ${appendPendingCounts('presentations_created')}`,
        group,
    );
}
