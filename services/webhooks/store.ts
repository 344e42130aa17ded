import { z } from 'zod';
import type { CallLifetime } from '../../platform/context.ts';
import { type Database, type Queries, sql } from '../../platform/postgres/db.ts';
import { type AccountPage, FIRST_ID, LAST_ID } from '../account-pages.store.ts';
import type { ErasureStep } from '../erasure.ts';
import { type NewClaim, type Outcome, writeClaimed } from '../idempotency/claims.store.ts';
import { appendDeliveries, countWaiting, type DeliveriesStore, deliveriesStore } from './deliveries.store.ts';
import { webhooksErasure } from './erase.store.ts';
import { type EndpointRow, endpointRow, MAX_WAITING_DELIVERIES, type NewDelivery, type OwnEndpoint } from './rows.ts';
import { tookTooLong, tooManyWaiting } from './rules.ts';

const ENDPOINT = sql.fragment`id, account, url, types, description, state, created_at, failing_since`;
const EXISTS = sql.fragment`state NOT IN ('reserved', 'deleted')`;

const countRow = z.strictObject({ endpoints: z.number() });
const stateRow = endpointRow.pick({ state: true });

export interface NewEndpoint {
    endpoint: EndpointRow;
    /** The number of the last event that the endpoint does not get. */
    cursor: number;
}

export interface EndpointChange extends OwnEndpoint {
    url: string | undefined;
    types: readonly string[] | undefined;
    description: string | undefined;
    state: 'active' | 'paused' | undefined;
    now: string;
}

export interface NewReplay extends OwnEndpoint {
    /** The numbers of events after which and up to which they are read. */
    after: number;
    until: number;
    from: string;
    to: string;
    now: string;
}

export interface WebhooksStore extends DeliveriesStore {
    /** Writes an endpoint that does not exist yet. If it does not soon, a job removes it with its secret. */
    reserve(reserved: NewEndpoint, lifetime: CallLifetime): Promise<void>;
    /** Lets a reserved endpoint exist. */
    activate(
        reserved: OwnEndpoint & { quota: number; claim: NewClaim | undefined },
        lifetime: CallLifetime,
    ): Promise<Outcome>;
    list(page: AccountPage, lifetime: CallLifetime): Promise<readonly EndpointRow[]>;
    count(account: string, lifetime: CallLifetime): Promise<number>;
    find(own: OwnEndpoint, lifetime: CallLifetime): Promise<EndpointRow | undefined>;
    update(change: EndpointChange, lifetime: CallLifetime): Promise<EndpointRow | undefined>;
    /** Resolves to false if there is no such endpoint. */
    remove(own: OwnEndpoint, lifetime: CallLifetime): Promise<boolean>;
    /**
     * Adds a delivery to an endpoint. Resolves to the state of the endpoint. Only an active one gets it. Throws AppError
     * `conflict` if too many of its deliveries wait.
     */
    enqueue(
        delivery: OwnEndpoint & { delivery: NewDelivery; now: string },
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
        async update({ account, id, url, types, description, state, now }, lifetime) {
            // What was wrong with the endpoint may be over, so it is tried at once.
            const isTried = url !== undefined || state === 'active';
            const again = isTried
                ? sql.fragment`, failures = 0, failing_since = NULL, not_before = NULL, due_at = ${now}, wakes = wakes + 1`
                : sql.fragment``;
            const newTypes = types ? sql.fragment`${sql.array([...types], 'text')}` : sql.fragment`types`;
            const statement = sql.type(endpointRow)`
                UPDATE webhooks.endpoints SET url = coalesce(${url ?? null}, url), types = ${newTypes},
                    description = coalesce(${description ?? null}, description),
                    state = coalesce(${state ?? null}, state) ${again}
                WHERE id = ${id} AND account = ${account} AND ${EXISTS} RETURNING ${ENDPOINT}`;
            const [row] = await db.rows(statement, 'webhook_update', lifetime);
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
            const statement = sql.type(endpointRow)`
                SELECT ${ENDPOINT} FROM webhooks.endpoints
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
            const statement = sql.type(endpointRow)`
                SELECT ${ENDPOINT} FROM webhooks.endpoints WHERE id = ${id} AND account = ${account} AND ${EXISTS}`;
            const [row] = await db.rows(statement, 'webhook_find', lifetime);
            return row;
        },
    };
}

async function reserve(db: Database, { endpoint, cursor }: NewEndpoint, lifetime: CallLifetime): Promise<void> {
    const { id, account, url, types, description, created_at } = endpoint;
    const statement = sql.unsafe`
        INSERT INTO webhooks.endpoints (id, account, url, types, description, state, created_at, cursor)
        VALUES (${id}, ${account}, ${url}, ${sql.array(types, 'text')}, ${description}, 'reserved', ${created_at},
            ${cursor})`;
    await db.rows(statement, 'webhook_reserve', lifetime);
}

/** Resolves to false beyond the quota. */
async function activate({ rows }: Queries, { id, account, quota }: OwnEndpoint & { quota: number }): Promise<boolean> {
    const place = await rows(sql.unsafe`
        INSERT INTO webhooks.accounts AS accounts (account, endpoints) VALUES (${account}, 1)
        ON CONFLICT (account) DO UPDATE SET endpoints = accounts.endpoints + 1 WHERE accounts.endpoints < ${quota}
        RETURNING 1`);
    if (place.length === 0) return false;
    const activated = await rows(sql.unsafe`
        UPDATE webhooks.endpoints SET state = 'active' WHERE id = ${id} AND account = ${account} AND state = 'reserved'
        RETURNING 1`);
    if (activated.length === 0) throw tookTooLong();
    return true;
}

async function removed({ rows }: Queries, { account, id }: OwnEndpoint): Promise<boolean> {
    const marked = await rows(sql.unsafe`
        UPDATE webhooks.endpoints SET state = 'deleted', description = NULL
        WHERE id = ${id} AND account = ${account} AND ${EXISTS} RETURNING id`);
    if (marked.length === 0) return false;
    await rows(sql.unsafe`UPDATE webhooks.accounts SET endpoints = endpoints - 1 WHERE account = ${account}`);
    return true;
}

async function enqueue(
    transaction: Queries,
    { account, id, delivery, now }: OwnEndpoint & { delivery: NewDelivery; now: string },
): Promise<string | undefined> {
    const [endpoint] = await transaction.rows(sql.type(stateRow)`
        UPDATE webhooks.endpoints SET due_at = greatest(not_before, ${now}), wakes = wakes + 1
        WHERE id = ${id} AND account = ${account} AND ${EXISTS} RETURNING state`);
    if (endpoint?.state !== 'active') return endpoint?.state;
    if ((await countWaiting(transaction, id)) >= MAX_WAITING_DELIVERIES) throw tooManyWaiting();
    await appendDeliveries(transaction, { endpoint: id, deliveries: [delivery], now });
    return endpoint.state;
}
