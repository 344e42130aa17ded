import { z } from 'zod';
import type { CallLifetime } from '../../platform/context.ts';
import { type Database, type Queries, sql } from '../../platform/postgres/db.ts';
import { type AccountPage, FIRST_ID, LAST_ID } from '../account-pages.store.ts';
import type { ErasureStep } from '../erasure.ts';
import { type NewClaim, type Outcome, writeClaimed } from '../idempotency/claims.store.ts';
import { appendDeliveries, countWaiting, type DeliveriesStore, deliveriesStore } from './deliveries.store.ts';
import { webhooksErasure } from './erase.store.ts';
import { MAX_WAITING_DELIVERIES, type NewDelivery, type OwnWebhook, type WebhookRow, webhookRow } from './rows.ts';
import { tookTooLong, tooManyWaiting } from './rules.ts';

const WEBHOOK = sql.fragment`id, account, url, types, description, state, created_at, failing_since`;
const EXISTS = sql.fragment`state NOT IN ('reserved', 'deleted')`;

const countRow = z.strictObject({ endpoints: z.number() });
const stateRow = webhookRow.pick({ state: true });

export interface NewWebhook {
    webhook: WebhookRow;
    /** The number of the last event that the webhook does not get. */
    cursor: number;
}

export interface WebhookChange extends OwnWebhook {
    url: string | undefined;
    types: readonly string[] | undefined;
    description: string | undefined;
    state: 'active' | 'paused' | undefined;
    now: string;
}

export interface NewReplay extends OwnWebhook {
    /** The numbers of events after which and up to which they are read. */
    after: number;
    until: number;
    from: string;
    to: string;
    now: string;
}

export interface WebhooksStore extends DeliveriesStore {
    /** Writes a webhook that does not exist yet. If it does not soon, a job removes it with its secret. */
    reserve(reserved: NewWebhook, lifetime: CallLifetime): Promise<void>;
    /** Lets a reserved webhook exist. */
    activate(
        reserved: OwnWebhook & { quota: number; claim: NewClaim | undefined },
        lifetime: CallLifetime,
    ): Promise<Outcome>;
    list(page: AccountPage, lifetime: CallLifetime): Promise<readonly WebhookRow[]>;
    count(account: string, lifetime: CallLifetime): Promise<number>;
    find(own: OwnWebhook, lifetime: CallLifetime): Promise<WebhookRow | undefined>;
    update(change: WebhookChange, lifetime: CallLifetime): Promise<WebhookRow | undefined>;
    /** Resolves to false if there is no such webhook. */
    remove(own: OwnWebhook, lifetime: CallLifetime): Promise<boolean>;
    /**
     * Adds a delivery to a webhook. Resolves to the state of the webhook. Only an active one gets it. Throws AppError
     * `conflict` if too many of its deliveries wait.
     */
    enqueue(
        delivery: OwnWebhook & { delivery: NewDelivery; now: string },
        lifetime: CallLifetime,
    ): Promise<string | undefined>;
    /** Resolves to false if another replay is under way. */
    replay(replay: NewReplay, lifetime: CallLifetime): Promise<boolean>;
    erasure: readonly ErasureStep[];
}

export function webhooksStore(db: Database): WebhooksStore {
    return {
        ...reading(db),
        ...deliveriesStore(db),
        reserve: (reserved, lifetime) => reserve(db, reserved, lifetime),
        activate({ claim, ...reserved }, lifetime) {
            const write = (transaction: Queries) => activate(transaction, reserved);
            return writeClaimed(db, { owner: 'webhooks', claim, name: 'webhook_insert' }, write, lifetime);
        },
        async update(change, lifetime) {
            const [row] = await db.rows(updated(change), 'webhook_update', lifetime);
            return row;
        },
        remove: (own, lifetime) =>
            db.transaction((transaction) => removed(transaction, own), 'webhook_delete', lifetime),
        enqueue: (sent, lifetime) =>
            db.transaction((transaction) => enqueue(transaction, sent), 'webhook_send', lifetime),
        async replay({ account, id, after, until, from, to, now }, lifetime) {
            const statement = sql.unsafe`
                UPDATE webhooks.endpoints SET replay_after = ${after}, replay_until = ${until}, replay_from = ${from},
                    replay_to = ${to}, due_at = greatest(not_before, ${now}), wakes = wakes + 1
                WHERE id = ${id} AND account = ${account} AND ${EXISTS} AND replay_until IS NULL RETURNING id`;
            return (await db.rows(statement, 'webhook_replay', lifetime)).length > 0;
        },
        erasure: webhooksErasure(db),
    };
}

function reading(db: Database): Pick<WebhooksStore, 'list' | 'count' | 'find'> {
    return {
        list({ account, before = LAST_ID, limit }, lifetime) {
            const statement = sql.type(webhookRow)`
                SELECT ${WEBHOOK} FROM webhooks.endpoints
                WHERE (account, id) > (${account}, ${FIRST_ID}) AND (account, id) < (${account}, ${before}) AND ${EXISTS}
                ORDER BY account DESC, id DESC LIMIT ${limit}`;
            return db.rows(statement, 'webhook_list', lifetime);
        },
        async count(account, lifetime) {
            const statement = sql.type(countRow)`SELECT endpoints FROM webhooks.accounts WHERE account = ${account}`;
            const [row] = await db.rows(statement, 'webhook_count', lifetime);
            return row?.endpoints ?? 0;
        },
        async find({ account, id }, lifetime) {
            const statement = sql.type(webhookRow)`
                SELECT ${WEBHOOK} FROM webhooks.endpoints WHERE id = ${id} AND account = ${account} AND ${EXISTS}`;
            const [row] = await db.rows(statement, 'webhook_find', lifetime);
            return row;
        },
    };
}

async function reserve(db: Database, { webhook, cursor }: NewWebhook, lifetime: CallLifetime): Promise<void> {
    const { id, account, url, types, description, created_at } = webhook;
    const statement = sql.unsafe`
        INSERT INTO webhooks.endpoints (id, account, url, types, description, state, created_at, cursor)
        VALUES (${id}, ${account}, ${url}, ${sql.array(types, 'text')}, ${description}, 'reserved', ${created_at},
            ${cursor})`;
    await db.rows(statement, 'webhook_reserve', lifetime);
}

/** Resolves to false beyond the quota. */
async function activate({ rows }: Queries, { id, account, quota }: OwnWebhook & { quota: number }): Promise<boolean> {
    const counted = await rows(sql.unsafe`
        INSERT INTO webhooks.accounts AS accounts (account, endpoints) VALUES (${account}, 1)
        ON CONFLICT (account) DO UPDATE SET endpoints = accounts.endpoints + 1 WHERE accounts.endpoints < ${quota}
        RETURNING 1`);
    if (counted.length === 0) return false;
    const activated = await rows(sql.unsafe`
        UPDATE webhooks.endpoints SET state = 'active' WHERE id = ${id} AND account = ${account} AND state = 'reserved'
        RETURNING 1`);
    if (activated.length === 0) throw tookTooLong();
    return true;
}

/**
 * What was wrong with a webhook may be over if it has a new URL or is made active. Then what waits is sent at once, and its
 * attempts begin anew: those so far say nothing about the next one.
 */
function updated({ account, id, url, types, description, state, now }: WebhookChange) {
    const isTried = url !== undefined || state === 'active';
    const again = isTried
        ? sql.fragment`, failures = 0, failing_since = NULL, not_before = NULL, due_at = ${now}, wakes = wakes + 1`
        : sql.fragment``;
    const newTypes = types ? sql.fragment`${sql.array([...types], 'text')}` : sql.fragment`types`;
    return sql.type(webhookRow)`
        WITH changed AS (
            UPDATE webhooks.endpoints SET url = coalesce(${url ?? null}, url), types = ${newTypes},
                description = coalesce(${description ?? null}, description),
                state = coalesce(${state ?? null}, state) ${again}
            WHERE id = ${id} AND account = ${account} AND ${EXISTS} RETURNING ${WEBHOOK}
        ), hurried AS (
            UPDATE webhooks.deliveries SET due_at = ${now}, attempts = 0, began_at = NULL
            WHERE endpoint = (SELECT id FROM changed) AND state = 'waiting' AND ${isTried}
        )
        SELECT * FROM changed`;
}

async function removed({ rows }: Queries, { account, id }: OwnWebhook): Promise<boolean> {
    const marked = await rows(sql.unsafe`
        UPDATE webhooks.endpoints SET state = 'deleted', description = NULL
        WHERE id = ${id} AND account = ${account} AND ${EXISTS} RETURNING id`);
    if (marked.length === 0) return false;
    await rows(sql.unsafe`UPDATE webhooks.accounts SET endpoints = endpoints - 1 WHERE account = ${account}`);
    return true;
}

async function enqueue(
    transaction: Queries,
    { account, id, delivery, now }: OwnWebhook & { delivery: NewDelivery; now: string },
): Promise<string | undefined> {
    const [webhook] = await transaction.rows(sql.type(stateRow)`
        UPDATE webhooks.endpoints SET due_at = greatest(not_before, ${now}), wakes = wakes + 1
        WHERE id = ${id} AND account = ${account} AND ${EXISTS} RETURNING state`);
    if (webhook?.state !== 'active') return webhook?.state;
    if ((await countWaiting(transaction, id)) >= MAX_WAITING_DELIVERIES) throw tooManyWaiting();
    await appendDeliveries(transaction, { webhook: id, deliveries: [delivery], now });
    return webhook.state;
}
