import { z } from 'zod';
import { coalesce } from '../../platform/batch.ts';
import type { CallLifetime } from '../../platform/context.ts';
import { type Change, changeApart, identifiers } from '../../platform/postgres/append.store.ts';
import { type Database, isRefusedStatement, type Queries, STORE_GROUPS, sql } from '../../platform/postgres/db.ts';
import {
    CLAIM_COLUMNS,
    CLAIM_TYPES,
    claimedFromNew,
    claimedWrites,
    claimValues,
    makeClaims,
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

/** What is appended about a written row reads ids, names and counts. */
const readValue = z.union([z.string(), z.number()]).nullable();
type ReadRow = Record<string, z.infer<typeof readValue>>;

type Tuple = Array<string | number | Buffer | null>;

interface Column<Row> {
    /** The type in SQL. */
    type: string;
    /** Undefined is NULL. */
    value(row: Row): string | number | Buffer | null | undefined;
    /** What a claimed row takes from its claim instead. */
    claim?: 'id' | 'made_at';
    /** What is appended about a written row reads it. */
    isRead?: true;
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
 * that are written, with the columns that are read, and `claimed` the ids of the claims that are made. `apart`: the
 * insertion as changeApart takes it, of rows whose claims are made.
 */
export function insertion<Row>({ table, columns, key, order }: Insertion<Row>) {
    const all = Object.entries(columns);
    const unclaimed = all.filter(([, { claim }]) => !claim);
    const names = identifiers(all.map(([name]) => name));
    const unclaimedNames = identifiers(unclaimed.map(([name]) => name));
    const sources = identifiers(all.map(([name, { claim = name }]) => claim)); // of a claimed row
    const into = sql.fragment`INSERT INTO ${sql.identifier([...table])} (${names})`;
    const inOrder = order ? sql.fragment`ORDER BY ${order}` : sql.fragment``;
    const unlessExists = sql.fragment`ON CONFLICT (${sql.identifier([key])}) DO NOTHING`;
    const unlessClaimedExists = columns[key]?.claim ? sql.fragment`` : unlessExists; // the id of a claim is new
    const read = Object.fromEntries(all.filter(([, { isRead }]) => isRead).map(([name, { type }]) => [name, type]));
    const readNames = identifiers(Object.keys(read));
    const readRow = z.strictObject(Object.fromEntries(Object.keys(read).map((name) => [name, readValue])));
    const inserted = (tuples: Tuple[]) => sql.fragment`
                ${into}
                SELECT ${names} FROM ${sql.unnest(tuples, typesOf(all))} AS new (${names}) ${inOrder}
                ${unlessExists}`;
    return {
        plain: (rows: readonly Row[]) => sql.fragment`
            WITH written AS (${inserted(rows.map(valuesOf(all)))}
                RETURNING ${readNames}
            )`,
        apart: (items: ReadonlyArray<{ row: Row; claim?: NewClaim }>): Omit<Change<ReadRow>, 'appended'> => ({
            change: sql.fragment`${inserted(items.map(({ row, claim }) => valuesOf(all, claim)(row)))}
                RETURNING ${readNames}`,
            row: readRow,
            columns: read,
        }),
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
                RETURNING ${readNames}
            )`;
        },
    };
}

function typesOf<Row>(columns: Array<[string, Column<Row>]>): string[] {
    return columns.map(([, { type }]) => type);
}

function valuesOf<Row>(columns: Array<[string, Column<Row>]>, made?: NewClaim) {
    return (row: Row): Tuple =>
        columns.map(([, { value, claim }]) => (made && claim ? made[claim] : value(row)) ?? null);
}

const madeRow = z.strictObject({ id: z.string() });

export interface Writes<Row> {
    /** Inserts the row unless its key exists. */
    insert(row: Row, lifetime?: CallLifetime): Promise<void>;
    /** Like `insert`, and claims an Idempotency-Key unless an earlier call holds the claim. */
    insertOnce(once: ClaimedRow<Row>, lifetime?: CallLifetime): Promise<Outcome>;
}

/** `counts` counts the rows of the CTE `written`, and `events` publishes them; it receives all rows of the batch. */
interface Writing<Row> extends Insertion<Row> {
    counts: Fragment;
    events?: (rows: readonly Row[]) => Fragment;
}

interface Statements<Row> {
    insert(rows: readonly Row[], group: CallLifetime): Promise<void>;
    /** Resolves to the ids of the claims that are made. */
    insertOnce(items: ReadonlyArray<ClaimedRow<Row>>, group: CallLifetime): Promise<Set<string>>;
}

/**
 * How the rows of calls without claims are gathered: one statement of twice the usual size at a time, so that the waiting
 * rows are not divided among two. Issuing a credential then costs 5 % less. A statement that hangs holds up the others
 * until its time limit. Beyond it: the call waits, or is `unavailable` if 4,096 wait.
 */
const INSERTIONS = { ...STORE_GROUPS, maxBatch: 128, maxInFlight: 1 } as const;

/** The insertions of a store, each in one statement per batch. `name` begins the names of the queues. */
export function writes<Row>(db: Database, { name, ...writing }: Writing<Row> & { name: string }): Writes<Row> {
    const { insert, insertOnce } = db.distributed ? severalStatements(db, writing) : oneStatement(db, writing);
    return {
        insert: coalesce({
            ...(db.distributed ? STORE_GROUPS : INSERTIONS), // there, an insertion is several statements and their round trips
            name: `${name}_insert`,
            bisectOn: isRefusedStatement,
            async run(rows: Row[], group) {
                await insert(rows, group);
                return rows.map(() => undefined);
            },
        }),
        insertOnce: claimedWrites({
            name: `${name}_insert_once`,
            async run(items: Array<ClaimedRow<Row>>, group) {
                const ids = await insertOnce(items, group);
                return items.map(({ claim: { id } }) => (ids.has(id) ? 'written' : 'held'));
            },
        }),
    };
}

function oneStatement<Row>(db: Database, { counts, events, ...into }: Writing<Row>): Statements<Row> {
    const { plain, claimed } = insertion(into);
    const name = `${into.table[1]}_insert`;
    const published = (rows: readonly Row[]) =>
        events ? sql.fragment`, published AS (${events(rows)})` : sql.fragment``;
    return {
        async insert(rows, group) {
            await db.prepared(name, sql.unsafe`${plain(rows)} ${published(rows)} ${counts}`, group);
        },
        async insertOnce(items, group) {
            const rows = items.map(({ row }) => row);
            const made = await db.prepared(
                `${name}_once`,
                sql.type(madeRow)`${claimed(items)} ${published(rows)}, counted AS (${counts}) SELECT id FROM claimed`,
                group,
            );
            return new Set(made.map(({ id }) => id));
        },
    };
}

/** On a distributed database: see changeApart. */
function severalStatements<Row>(db: Database, { counts, events, ...into }: Writing<Row>): Statements<Row> {
    const { apart } = insertion(into);
    const name = `${into.table[1]}_insert`;
    const write = (queries: Queries, items: ReadonlyArray<Partial<ClaimedRow<Row>> & { row: Row }>) => {
        const published = events ? [events(items.map(({ row }) => row))] : [];
        return changeApart(queries, { ...apart(items), appended: [counts, ...published] });
    };
    return {
        async insert(rows, group) {
            const items = rows.map((row) => ({ row }));
            await db.transaction((queries) => write(queries, items), name, group);
        },
        insertOnce(items, group) {
            const claims = items.map(({ claim }) => claim);
            const work = async (queries: Queries): Promise<Set<string>> => {
                const ids = await makeClaims(queries, into.table[0], claims);
                const made = items.filter(({ claim }) => ids.has(claim.id));
                if (made.length > 0) await write(queries, made);
                return ids;
            };
            return db.transaction(work, `${name}_once`, group);
        },
    };
}
