import { type Database, sql } from '../../platform/postgres/db.ts';
import { FIRST_ID, LAST_ID, LISTED_COLUMNS } from './columns.store.ts';
import type { CredentialStore, ListedRow, Strand } from './rows.ts';

/** Finds the rows of another account's DID that an account may see, among the account's own rows. */
export function strandStore(db: Database): Pick<CredentialStore, 'readStrands' | 'countIssued' | 'countOther'> {
    return {
        async readStrands({ role, did: party }, { strands, look }, traced) {
            const { column, type, keyOf } = kindOf(strands, role === 'issuer' ? 'subject' : 'issuer');
            const tuples = strands.map((strand, place) => [place, keyOf(strand), strand.before ?? LAST_ID]);
            // Compares pairs, as readPages does, so that PostgreSQL reads one range of the strand's own index.
            const statement = sql.unsafe`
                SELECT s.place, row.nth = ${look} AS is_last, row.${sql.identifier([role])} = ${party} AS is_of_party, row.*
                FROM ${sql.unnest(tuples, ['int4', type, 'uuid'])} AS s (place, key, before)
                CROSS JOIN LATERAL (
                    SELECT ${LISTED_COLUMNS}, row_number() OVER (ORDER BY ${column} DESC, id DESC) AS nth
                    FROM credentials.credentials
                    WHERE (${column}, id) > (s.key, ${FIRST_ID}) AND (${column}, id) < (s.key, s.before)
                    ORDER BY ${column} DESC, id DESC LIMIT ${look}
                ) AS row
                WHERE row.nth = ${look} OR row.${sql.identifier([role])} = ${party}`;
            const read = await db.rows<StrandRow>(statement, 'credentials_strands', traced);
            const ends = read.filter(({ is_last }) => is_last);
            return {
                rows: read.filter(({ is_of_party }) => is_of_party),
                // `place` is the index of a strand.
                unread: ends.map(({ place, id }) => ({ ...(strands[place] as Strand), before: id })),
            };
        },
        async countIssued({ role, did: party }, account, traced) {
            const statement = sql.unsafe`
                SELECT count(*) AS total
                FROM (
                    SELECT ${sql.identifier([role])} AS party FROM credentials.credentials
                    WHERE (account, id) > (${account}, ${FIRST_ID}) AND (account, id) < (${account}, ${LAST_ID})
                    OFFSET 0 -- so that PostgreSQL uses this index
                ) AS issued
                WHERE party = ${party}`;
            return totalIn(await db.rows(statement, 'credentials_count_issued', traced));
        },
        async countOther({ role, did: party }, { dids, notBy }, traced) {
            const column = sql.identifier([role === 'issuer' ? 'subject' : 'issuer']);
            const statement = sql.unsafe`
                SELECT count(*) AS total
                FROM unnest(${sql.array([...dids], 'text')}) AS own (did)
                CROSS JOIN LATERAL (
                    SELECT account, ${sql.identifier([role])} AS party FROM credentials.credentials
                    WHERE (${column}, id) > (own.did, ${FIRST_ID}) AND (${column}, id) < (own.did, ${LAST_ID})
                    OFFSET 0 -- so that PostgreSQL uses this index
                ) AS naming
                WHERE party = ${party} AND account IS DISTINCT FROM ${notBy}`;
            return totalIn(await db.rows(statement, 'credentials_count_other', traced));
        },
    };
}

type StrandRow = ListedRow & { place: number; is_last: boolean; is_of_party: boolean };

/** The column that identifies strands of one kind, its type, and its value for a strand. */
function kindOf(strands: readonly Strand[], other: 'issuer' | 'subject') {
    const isIssued = strands.some((strand) => 'account' in strand);
    return {
        column: sql.identifier([isIssued ? 'account' : other]),
        type: isIssued ? 'uuid' : 'text',
        keyOf: (strand: Strand) => ('account' in strand ? strand.account : strand.did),
    };
}

function totalIn(rows: readonly { total?: number }[]): number {
    return rows[0]?.total ?? 0;
}
