import type { Client } from 'pg';

interface Filling {
    entries: number;
    /** Number of events in each entry. */
    perEntry: number;
    /** The accounts of the events, in turn. */
    accounts: readonly string[];
    /** Index of the account of the first event. Default: 0. */
    from?: number;
}

/**
 * Writes events to the outbox of the credentials service as its statements would, but without credentials. Each has a
 * request of its own, made with the only key of its account.
 */
export async function fillOutbox(db: Client, { entries, perEntry, accounts, from = 0 }: Filling): Promise<void> {
    await db.query(
        `INSERT INTO credentials.outbox (type, causes, data)
         SELECT 'credential.issued',
                jsonb_build_object(
                    'sources', jsonb_agg(jsonb_build_array(account, 'key:' || account,
                        'did:web:credentials.example:issuers:' || account) ORDER BY n),
                    'events', jsonb_agg(jsonb_build_array(id, n, gen_random_uuid()) ORDER BY n))::text,
                '"all"'
         FROM (
             SELECT entry, n, gen_random_uuid() AS id,
                    ($3::uuid[])[1 + ($4::int + entry * $2::int + n) % cardinality($3::uuid[])] AS account
             FROM generate_series(0, $1::int - 1) AS entry, generate_series(0, $2::int - 1) AS n
         ) AS event GROUP BY entry ORDER BY entry`,
        [entries, perEntry, accounts, from],
    );
}
