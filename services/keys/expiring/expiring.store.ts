import { z } from 'zod';
import { type Database, sql } from '../../../platform/postgres/db.ts';
import { OWN_CAUSE } from '../../outbox/cause.ts';
import { appendEvents } from '../../outbox/outbox.store.ts';

/** How long before its end the owner of a key is told, in days. */
const DAYS_BEFORE = 7;
/** Number of keys in one statement. Beyond it: the next statement takes the rest. */
const TOLD_KEYS = 1_000;

const toldRow = z.strictObject({ told: z.number() });
const UNTOLD = sql.fragment`told_expiry IS DISTINCT FROM expires_at`;

/**
 * Appends an event for each key that soon expires, once for each time that it is to expire. A key with a successor has none:
 * its owner has replaced it. `now` is ISO 8601.
 */
export async function tellExpiring(db: Database, { now }: { now: string }): Promise<void> {
    for (let told = TOLD_KEYS; told === TOLD_KEYS; ) {
        const [row] = await db.rows(sql.type(toldRow)`
            WITH written AS (
                UPDATE keys.keys SET told_expiry = expires_at
                WHERE ${UNTOLD} AND key_id = ANY(ARRAY(
                    SELECT key_id FROM keys.keys
                    WHERE expires_at > ${now}::timestamptz
                      AND expires_at <= ${now}::timestamptz + make_interval(days => ${DAYS_BEFORE})
                      AND counted AND revoked_at IS NULL AND ${UNTOLD}
                    ORDER BY expires_at LIMIT ${TOLD_KEYS}))
                RETURNING account, key_id
            ), published AS (${appendEvents('keys', 'key.expiring', { data: sql.fragment`'key_id', key_id`, causes: OWN_CAUSE })})
            SELECT count(*) AS told FROM written`);
        told = row?.told ?? 0;
    }
}
