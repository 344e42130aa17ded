import { sql } from '../../platform/postgres/db.ts';

/** For how long batches of requests are remembered: for much longer than a process repeats one that failed. */
const REMEMBERED = '1 day';

/** What a roll-up of requests does besides: it notes on which days accounts are active, and forgets old batches. */
export const ACTIVITY = sql.fragment`, active AS (
        INSERT INTO usage.days (account, day, requests, logins)
        SELECT account, day, coalesce(sum(amount) FILTER (WHERE kind = 'requests'), 0),
               coalesce(sum(amount) FILTER (WHERE kind = 'logins'), 0)
        FROM taken WHERE kind IN ('requests', 'logins') AND account IS NOT NULL GROUP BY account, day
        ON CONFLICT (day, account) DO UPDATE
        SET requests = days.requests + excluded.requests, logins = days.logins + excluded.logins
    ), forgotten AS (
        DELETE FROM usage.batches WHERE id < (lpad(to_hex(
            (extract(epoch FROM now() - ${REMEMBERED}::interval) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
    )`;
