import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { type Database, sql } from '../../../platform/postgres/db.ts';
import { StartError } from '../../../platform/start-error.ts';
import { ONE_PART, type PartMap } from './part-map.ts';

/** The step of a start that fails. */
const STEP = 'parts of the credentials';

/** What a database says about itself. */
const partRow = z.strictObject({ set_id: z.string(), part: z.number() });
type PartRow = z.infer<typeof partRow>;

/** `since_ms`: null if there were no credentials before. */
const countRow = z.strictObject({ count: z.number(), since_ms: z.number().nullable() });

const existsRow = z.strictObject({ exists: z.boolean() });

/**
 * Records which part each of these databases is, and how many there are. It may be repeated, and interrupted at any
 * point. Throws StartError if a database is another part already or has credentials of its own, or if there were more
 * parts before.
 */
export async function arrangeParts(databases: readonly Database[]): Promise<void> {
    const [first, ...further] = databases as [Database, ...Database[]]; // the setting has at least one
    const { count } = await countsIn(first);
    if (databases.length < count) throw tooFew(databases.length, count);
    if (databases.length === 1) return;
    const { set_id } = (await readPart(first)) ?? (await stamp(first, { set_id: randomUUID(), part: 0 }));
    for (const [index, db] of further.entries()) {
        const part = index + 1;
        const known = await readPart(db);
        if (!known && (await hasCredentials(db))) throw refusal(part, 'has credentials that belong to no part');
        requirePart(known ?? (await stamp(db, { set_id, part })), { set_id, part });
    }
    await recordCount(first, databases.length);
}

/**
 * Throws StartError if one of the `others`, where only the schemas of other roles are used, has credentials, and `first`
 * has none: then the setting leaves them behind, and whatever was revoked would be valid again.
 */
export async function refuseToLeave(others: readonly Database[], first: Database): Promise<void> {
    if (await hasCredentials(first)) return;
    for (const db of others) {
        if (!(await hasCredentials(db))) continue;
        throw new StartError(
            STEP,
            'The first database in CREDENTIAL_PARTS or DATABASE_URL_CREDENTIALS has no credentials, but that of another role has some. Begin with that one, or copy them first.',
        );
    }
}

/**
 * Reads the map of the parts in these databases. Throws StartError if they are not what arrangeParts() has recorded: a
 * process with another list than the others would look for credentials in the wrong place.
 */
export async function partMapIn(databases: readonly Database[]): Promise<PartMap> {
    const [first] = databases as [Database, ...Database[]]; // the setting has at least one
    const map = await countsIn(first);
    if (databases.length < map.count) throw tooFew(databases.length, map.count);
    if (databases.length > map.count)
        throw new StartError(
            STEP,
            `CREDENTIAL_PARTS has ${databases.length} parts, but the database knows ${map.count}. Run the migrations first.`,
        );
    if (map.count === 1) return map;
    const rows = await Promise.all(databases.map(readPart));
    const setId = rows[0]?.set_id ?? '';
    for (const [part, row] of rows.entries()) requirePart(row, { set_id: setId, part });
    return map;
}

/** Reads how many parts there are now. */
export async function countParts(first: Database): Promise<number> {
    return (await countsIn(first)).count;
}

/** Reads how many parts there have been, from the database of part 0. */
async function countsIn(first: Database): Promise<PartMap> {
    const rows = await first.rows(sql.type(countRow)`
        SELECT count, extract(epoch FROM since)::float8 * 1000 AS since_ms
        FROM credentials.part_counts ORDER BY count`);
    if (rows.length === 0) return ONE_PART;
    const [{ since_ms: earliest }] = rows as [z.infer<typeof countRow>];
    const before = earliest === null ? [] : [1];
    const counts = [...before, ...rows.map(({ count }) => count)];
    return { count: counts.at(-1) ?? 1, counts, since: earliest ?? 0 };
}

/**
 * Records a new number of parts. Ids from before `since` are in part 0. The clock of a process that makes ids may be 5 s
 * behind that of the database, so `since` is earlier: the ids of these seconds say part 0 themselves.
 */
async function recordCount(first: Database, count: number): Promise<void> {
    await first.rows(sql.unsafe`
        WITH before AS (
            SELECT EXISTS (SELECT FROM credentials.credentials) OR EXISTS (SELECT FROM credentials.part_counts) AS used
        )
        INSERT INTO credentials.part_counts (count, since)
        SELECT ${count}, CASE WHEN used THEN now() - interval '10 seconds' END FROM before
        ON CONFLICT DO NOTHING`);
}

async function readPart(db: Database): Promise<PartRow | undefined> {
    const [row] = await db.rows(sql.type(partRow)`SELECT set_id, part FROM credentials.part`);
    return row;
}

async function stamp(db: Database, { set_id, part }: PartRow): Promise<PartRow> {
    await db.rows(sql.unsafe`
        INSERT INTO credentials.part (set_id, part) VALUES (${set_id}, ${part}) ON CONFLICT DO NOTHING`);
    return (await readPart(db)) as PartRow; // another run may have written it first
}

async function hasCredentials(db: Database): Promise<boolean> {
    const [row] = await db.rows(sql.type(existsRow)`SELECT EXISTS (SELECT FROM credentials.credentials) AS exists`);
    return row?.exists ?? false;
}

function requirePart(row: PartRow | undefined, { set_id, part }: PartRow): void {
    if (!row) throw refusal(part, 'is not a part yet: run the migrations first');
    if (row.part !== part) throw refusal(part, `is part ${row.part}`);
    if (row.set_id !== set_id) throw refusal(part, 'belongs to the parts of another service');
}

/** `part` counts from 0, like the rows. The message never repeats a URL. */
function refusal(part: number, reason: string): StartError {
    return new StartError(STEP, `The database of part ${part} in CREDENTIAL_PARTS ${reason}.`);
}

function tooFew(given: number, count: number): StartError {
    return new StartError(
        STEP,
        `CREDENTIAL_PARTS has ${given} of the ${count} parts. The number of parts cannot shrink.`,
    );
}
