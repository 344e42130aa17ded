import { z } from 'zod';
import { coalesce } from '../../platform/batch.ts';
import type { CallLifetime } from '../../platform/context.ts';
import { type Database, isRefusedStatement, STORE_GROUPS, sql } from '../../platform/postgres/db.ts';
import {
    CLAIM_COLUMNS,
    CLAIM_TYPES,
    claimedFromNew,
    claimedWrites,
    claimValues,
    type NewClaim,
    type Outcome,
    type Owner,
} from './claims.store.ts';

type Fragment = ReturnType<typeof sql.fragment>;

/** A row with the claim that must be made for it. */
export interface ClaimedRow<Row> {
    row: Row;
    claim: NewClaim;
}

interface Column<Row> {
    /** The type in SQL. */
    type: string;
    /** Undefined is NULL. */
    value(row: Row): string | number | Buffer | null | undefined;
    /** What a claimed row takes from its claim instead. */
    claim?: 'id' | 'made_at';
}

interface Insertion<Row> {
    /** Schema and name of the table. The claims are in the same schema. */
    table: readonly [schema: Owner, name: string];
    /** All columns of a new row, by their names. */
    columns: Record<string, Column<Row>>;
    /** The unique column. A row whose key exists is not written. */
    key: string;
    /** The order in which rows are written. It keeps two statements with the same keys from a deadlock. */
    order?: Fragment;
}

/**
 * Returns the beginnings of the statements that insert rows, with and without claims. Their CTE `written` has the rows
 * that are written, and `claimed` the ids of the claims that are made.
 */
export function insertion<Row>({ table, columns, key, order }: Insertion<Row>) {
    const all = Object.entries(columns);
    const unclaimed = all.filter(([, { claim }]) => !claim);
    const names = list(all.map(([name]) => name));
    const unclaimedNames = list(unclaimed.map(([name]) => name));
    const sources = list(all.map(([name, { claim = name }]) => claim)); // of a claimed row
    const into = sql.fragment`INSERT INTO ${sql.identifier([...table])} (${names})`;
    const inOrder = order ? sql.fragment`ORDER BY ${order}` : sql.fragment``;
    const unlessExists = sql.fragment`ON CONFLICT (${sql.identifier([key])}) DO NOTHING`;
    const unlessClaimedExists = columns[key]?.claim ? sql.fragment`` : unlessExists; // the id of a claim is new
    return {
        plain: (rows: readonly Row[]) => sql.fragment`
            WITH written AS (
                ${into}
                SELECT ${names} FROM ${sql.unnest(rows.map(valuesOf(all)), typesOf(all))} AS new (${names}) ${inOrder}
                ${unlessExists}
                RETURNING *
            )`,
        claimed(items: ReadonlyArray<ClaimedRow<Row>>) {
            const [{ claim }] = items as [ClaimedRow<Row>]; // no batch is empty
            const tuples = items.map(({ row, claim }) => [...claimValues(claim), ...valuesOf(unclaimed)(row)]);
            const types = [...CLAIM_TYPES, ...typesOf(unclaimed)];
            return sql.fragment`
            WITH new AS (
                SELECT * FROM ${sql.unnest(tuples, types)} AS new (${CLAIM_COLUMNS}, ${unclaimedNames})
            ), ${claimedFromNew(table[0], claim)}, written AS (
                ${into}
                SELECT ${sources} FROM new WHERE id IN (SELECT id FROM claimed) ${inOrder}
                ${unlessClaimedExists}
                RETURNING *
            )`;
        },
    };
}

function list(names: string[]): Fragment {
    return sql.fragment`${sql.join(
        names.map((name) => sql.identifier([name])),
        sql.fragment`, `,
    )}`;
}

function typesOf<Row>(columns: Array<[string, Column<Row>]>): string[] {
    return columns.map(([, { type }]) => type);
}

function valuesOf<Row>(columns: Array<[string, Column<Row>]>) {
    return (row: Row) => columns.map(([, { value }]) => value(row) ?? null);
}

const madeRow = z.strictObject({ id: z.string() });

export interface Writes<Row> {
    /** Inserts the row unless its key exists. */
    insert(row: Row, lifetime?: CallLifetime): Promise<void>;
    /** Like `insert`, and claims an Idempotency-Key unless an earlier call holds the claim. */
    insertOnce(once: ClaimedRow<Row>, lifetime?: CallLifetime): Promise<Outcome>;
}

/**
 * The insertions of a store, each in one statement per batch. `name` begins the names of the queues. `counts` counts
 * the rows of the CTE `written`, and `events` publishes them; it receives all rows of the batch.
 */
export function writes<Row>(
    db: Database,
    {
        name,
        counts,
        events,
        ...into
    }: Insertion<Row> & { name: string; counts: Fragment; events?: (rows: readonly Row[]) => Fragment },
): Writes<Row> {
    const { plain, claimed } = insertion(into);
    const statement = `${into.table[1]}_insert`;
    const published = (rows: readonly Row[]) =>
        events ? sql.fragment`, published AS (${events(rows)})` : sql.fragment``;
    return {
        insert: coalesce({
            ...STORE_GROUPS,
            name: `${name}_insert`,
            bisectOn: isRefusedStatement,
            async run(rows: Row[], group) {
                await db.prepared(statement, sql.unsafe`${plain(rows)} ${published(rows)} ${counts}`, group);
                return rows.map(() => undefined);
            },
        }),
        insertOnce: claimedWrites({
            name: `${name}_insert_once`,
            async run(items: Array<ClaimedRow<Row>>, group) {
                const rows = items.map(({ row }) => row);
                const made = await db.prepared(
                    `${statement}_once`,
                    sql.type(
                        madeRow,
                    )`${claimed(items)} ${published(rows)}, counted AS (${counts}) SELECT id FROM claimed`,
                    group,
                );
                const ids = new Set(made.map(({ id }) => id));
                return items.map(({ claim: { id } }) => (ids.has(id) ? 'written' : 'held'));
            },
        }),
    };
}
