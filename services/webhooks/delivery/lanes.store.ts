import { z } from 'zod';
import { coalesce } from '../../../platform/batch.ts';
import { type Database, type Queries, STORE_GROUPS, sql } from '../../../platform/postgres/db.ts';
import { OWN_CAUSE } from '../../outbox/cause.ts';
import { appendEvents } from '../../outbox/outbox.store.ts';
import { appendDeliveries, countWaiting } from '../deliveries.store.ts';
import { type Attempted, dueRow, type LanesStore, type LeasedWebhook, leasedRow } from './rows.ts';

/**
 * How long a webhook belongs to a process that does not extend its lease, in seconds. Beyond it: another process sends
 * to it.
 */
export const LEASE_SECONDS = 15;
const LEASE_END = sql.fragment`now() + make_interval(secs => ${LEASE_SECONDS})`;

const idRow = z.strictObject({ id: z.string() });
const nextRow = z.strictObject({ wakes: z.number(), next: z.string().nullable() });

const LEASED = sql.fragment`id, account, url, types, cursor, behind, failing_since, failures, not_before, wakes,
    replay_after, replay_until, replay_from, replay_to`;

/** What the lanes of a process do in the database. `lease` identifies the process. */
export function lanesStore(db: Database, lease: string): LanesStore {
    const owned = (id: string) => sql.fragment`id = ${id} AND lease = ${lease} AND state = 'active'`;
    return {
        lease: (limit, now) =>
            db.transaction((transaction) => leased(transaction, { lease, limit, now }), 'webhook_lease'),
        async extend(ids) {
            const extended = await db.rows(sql.type(idRow)`
                UPDATE webhooks.endpoints SET leased_until = ${LEASE_END}
                WHERE id = ANY(${sql.array([...ids], 'uuid')}) AND lease = ${lease} RETURNING id`);
            return extended.map(({ id }) => id);
        },
        async read(id, now) {
            const [row] = await db.rows(sql.type(leasedRow)`
                UPDATE webhooks.endpoints SET due_at = ${now} WHERE ${owned(id)} RETURNING ${LEASED}`);
            return row;
        },
        waiting: (id) => countWaiting(db, id),
        ...feeding(db, owned),
        due: (id, limit, now) =>
            db.rows(sql.type(dueRow)`
                SELECT id, event_id, type, body, attempts, began_at FROM webhooks.deliveries
                WHERE endpoint = ${id} AND state = 'waiting' AND due_at <= ${now} ORDER BY due_at, id LIMIT ${limit}`),
        ...noting(db, owned),
        async release({ id, wakes, dueAt }) {
            const [row] = await db.rows(sql.type(nextRow)`
                SELECT wakes, (
                    SELECT min(due_at) FROM webhooks.deliveries WHERE endpoint = ${id} AND state = 'waiting'
                ) AS next FROM webhooks.endpoints WHERE id = ${id}`);
            if (!row) return true; // it is deleted
            const next = dueAt ?? row.next;
            const sameWakes = wakes === 'any' ? sql.fragment`` : sql.fragment`AND wakes = ${wakes}`;
            const released = await db.rows(sql.unsafe`
                UPDATE webhooks.endpoints SET lease = NULL, leased_until = NULL,
                    due_at = CASE WHEN wakes <> ${row.wakes} THEN due_at -- whoever has added something has set it
                        WHEN ${next}::timestamptz IS NOT NULL THEN greatest(not_before, ${next}::timestamptz)
                        WHEN replay_after IS NOT NULL THEN greatest(not_before, due_at) END
                WHERE id = ${id} AND lease = ${lease} ${sameWakes} RETURNING id`);
            return released.length > 0;
        },
    };
}

/** Rows that another process is leasing are passed over. */
async function leased(
    { rows }: Queries,
    { lease, limit, now }: { lease: string; limit: number; now: string },
): Promise<string[]> {
    const found = await rows(sql.type(idRow)`
        SELECT id FROM webhooks.endpoints
        WHERE state = 'active' AND due_at <= ${now} AND (leased_until IS NULL OR leased_until < now())
        ORDER BY due_at LIMIT ${limit} FOR UPDATE SKIP LOCKED`);
    const ids = found.map(({ id }) => id);
    if (ids.length === 0) return [];
    await rows(sql.unsafe`
        UPDATE webhooks.endpoints SET lease = ${lease}, leased_until = ${LEASE_END}
        WHERE id = ANY(${sql.array(ids, 'uuid')})`);
    return ids;
}

type Owned = (id: string) => ReturnType<typeof sql.fragment>;

function feeding(db: Database, owned: Owned): Pick<LanesStore, 'feed' | 'feedReplay'> {
    /** Moves the cursor with `set`, which moves it from where it is known to be, and adds the deliveries: both or none. */
    const add = (
        { webhook, deliveries, now }: Pick<Parameters<LanesStore['feed']>[0], 'webhook' | 'deliveries' | 'now'>,
        [set, from]: readonly [set: ReturnType<typeof sql.fragment>, from: ReturnType<typeof sql.fragment>],
    ) =>
        db.transaction(async (transaction) => {
            const moved = await transaction.rows(sql.unsafe`
                UPDATE webhooks.endpoints SET ${set} WHERE ${owned(webhook.id)} AND ${from} RETURNING id`);
            if (moved.length === 0) return false;
            if (deliveries.length > 0) await appendDeliveries(transaction, { webhook: webhook.id, deliveries, now });
            return true;
        }, 'webhook_feed');
    const ended = sql.fragment`, replay_until = NULL, replay_from = NULL, replay_to = NULL`;
    return {
        feed: ({ cursor, behind, ...fed }) =>
            add(fed, [
                sql.fragment`cursor = ${cursor}, behind = ${behind}`,
                sql.fragment`cursor = ${fed.webhook.cursor}`,
            ]),
        feedReplay: ({ after, ...fed }) =>
            add(fed, [
                sql.fragment`replay_after = ${after} ${after === null ? ended : sql.fragment``}`,
                sql.fragment`replay_after = ${fed.webhook.replay_after}`,
            ]),
    };
}

const ATTEMPTED = ['uuid', 'text', 'text', 'timestamptz', 'timestamptz', 'timestamptz', 'int4', 'text'];

function noting(db: Database, owned: Owned): Pick<LanesStore, 'record' | 'noteFailure' | 'noteSuccess' | 'stop'> {
    // What an attempt has shown says nothing about a new URL, or about a webhook that was made active again meanwhile.
    const unchanged = ({ id, url, failures }: LeasedWebhook) =>
        sql.fragment`${owned(id)} AND url = ${url} AND failures = ${failures}`;
    return {
        record: coalesce({
            ...STORE_GROUPS,
            name: 'webhook_record',
            async run(attempted: Attempted[], group) {
                await db.prepared('webhook_record', recorded(attempted), group);
                return attempted.map(() => undefined);
            },
        }),
        async noteFailure(webhook, { failures, failing_since, not_before }) {
            await db.rows(sql.unsafe`
                UPDATE webhooks.endpoints SET failures = ${failures}, failing_since = ${failing_since},
                    not_before = ${not_before} WHERE ${unchanged(webhook)}`);
        },
        async noteSuccess(webhook) {
            await db.rows(sql.unsafe`
                UPDATE webhooks.endpoints SET failures = 0, failing_since = NULL, not_before = NULL
                WHERE ${unchanged(webhook)}`);
        },
        async stop(webhook, state) {
            await db.rows(sql.unsafe`
                WITH written AS (
                    UPDATE webhooks.endpoints SET state = ${state} WHERE ${unchanged(webhook)} RETURNING account, id
                )
                ${appendEvents('webhooks', `webhook.${state}`, { data: sql.fragment`'webhook_id', id`, causes: OWN_CAUSE })}`);
        },
    };
}

/**
 * An attempt counts once, also if it is recorded again. A delivery that has not succeeded at an earlier URL of its webhook is
 * due at the new one at once.
 */
function recorded(attempted: readonly Attempted[]) {
    const values = attempted.map(({ id, url, state, began_at, at, due_at, status, reason }) => [
        id,
        url,
        state,
        began_at,
        at,
        due_at,
        status,
        reason,
    ]);
    const isMoved = sql.fragment`new.state <> 'delivered' AND endpoints.url <> new.url`;
    const waits = sql.fragment`new.state = 'waiting' OR ${isMoved}`;
    return sql.unsafe`
        UPDATE webhooks.deliveries AS old SET state = CASE WHEN ${isMoved} THEN 'waiting' ELSE new.state END,
            attempts = old.attempts + 1, began_at = new.began_at, last_attempt_at = new.at,
            due_at = CASE WHEN ${isMoved} THEN new.at ELSE new.due_at END, status = new.status, reason = new.reason,
            body = CASE WHEN ${waits} THEN old.body ELSE '' END,
            finished_at = CASE WHEN ${waits} THEN NULL ELSE new.at END
        FROM ${sql.unnest(values, ATTEMPTED)} AS new (id, url, state, began_at, at, due_at, status, reason),
            webhooks.endpoints
        WHERE old.id = new.id AND old.state = 'waiting' AND endpoints.id = old.endpoint`;
}
