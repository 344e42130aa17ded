import { randomUUID } from 'node:crypto';
import { createMetrics } from '../../../platform/telemetry/metrics.ts';
import { eventsService } from '../../../services/events/service.ts';
import { eventsStore } from '../../../services/events/store.ts';
import { runLane } from '../../../services/webhooks/delivery/lane.ts';
import { lanesStore } from '../../../services/webhooks/delivery/lanes.store.ts';
import { deliveryMetrics } from '../../../services/webhooks/delivery/metrics.ts';
import { slots } from '../../../services/webhooks/delivery/slots.ts';
import { wakeStore } from '../../../services/webhooks/delivery/wake.store.ts';
import { wakeWebhooks } from '../../../services/webhooks/delivery/wake.ts';
import type { Delivery, Outcome } from '../../../services/webhooks/sender/sender.ts';
import { webhooksStore } from '../../../services/webhooks/store.ts';
import { testContext, testDatabase } from '../../support/harness.ts';

export const OK: Outcome = { kind: 'answered', status: 200, retryAfterMs: undefined };
export const answer = (status: number): Outcome => ({ kind: 'answered', status, retryAfterMs: undefined });

/** A database with webhooks and streams, and processes of the role whose clock a test sets. */
export async function lanesFixture() {
    const { db } = await testDatabase();
    const clock = { now: Date.UTC(2026, 10, 20) };
    const events = eventsService({ store: eventsStore(db) });
    const store = webhooksStore(db);
    const wakes = wakeStore(db);
    const time = () => clock.now;
    const iso = () => new Date(clock.now).toISOString();

    /** Another process of the role. `send` is where its deliveries go. */
    function open(send: (delivery: Delivery, signal?: AbortSignal) => Promise<Outcome>) {
        const lanes = lanesStore(db, randomUUID());
        const metrics = createMetrics();
        const deps = {
            store: lanes,
            events,
            signing: { signWebhook: async () => ({ signatures: ['v1,c2lnbmF0dXJl'] }) },
            sender: { send },
            slots: slots(),
            count: deliveryMetrics(metrics, { store: wakes, clock: time }),
            clock: time,
        };
        return {
            lanes,
            metrics,
            /** Serves what is due now. Returns the ids of the endpoints. */
            async serve(signal = new AbortController().signal) {
                await wakeWebhooks({ store: wakes, events, clock: time });
                const ids = await lanes.lease(100, iso());
                await Promise.all(ids.map((id) => runLane(id, deps, signal)));
                return ids;
            },
        };
    }

    async function newEndpoint({ account = randomUUID() as string, types = [] as string[] } = {}) {
        const webhook = {
            id: randomUUID() as string,
            account,
            url: 'https://shop.example/hooks',
            types,
            description: null,
            state: 'active',
            created_at: iso(),
            failing_since: null,
        };
        const own = { account, id: webhook.id };
        await store.reserve({ webhook, cursor: 0 }, testContext());
        await store.activate({ ...own, quota: 10, claim: undefined }, testContext());
        return {
            ...own,
            find: () => store.find(own, testContext()),
            change: (state: 'active' | 'paused', url?: string) =>
                store.update(
                    { ...own, state, url, types: undefined, description: undefined, now: iso() },
                    testContext(),
                ),
            deliveries: () =>
                store.listDeliveries(
                    { webhook: webhook.id, state: undefined, before: undefined, limit: 5_000 },
                    testContext(),
                ),
        };
    }

    return { db, clock, store, events, open, newEndpoint, append: appending(events, iso) };
}

/** Returns a function that appends events of an account. */
function appending(events: Pick<ReturnType<typeof eventsService>, 'appendEvents'>, now: () => string) {
    return async (account: string, count: number, type = 'key.created') => {
        const own = Array.from({ length: count }, () => ({ account, data: { key_id: randomUUID() as string } }));
        const entry = { entry_id: randomUUID() as string, type, timestamp: now(), events: own };
        await events.appendEvents({ entries: [entry] }, testContext({ trusted: true }));
    };
}
