import { z } from 'zod';
import type { NewDelivery } from '../rows.ts';
import type { Verdict } from './schedule.ts';

/** What a process knows of a webhook while it has the lease. */
export const leasedRow = z.strictObject({
    id: z.string(),
    account: z.string(),
    url: z.string(),
    types: z.array(z.string()),
    cursor: z.number(),
    behind: z.boolean(),
    failing_since: z.string().nullable(),
    failures: z.number(),
    not_before: z.string().nullable(),
    wakes: z.number(),
    replay_after: z.number().nullable(),
    replay_until: z.number().nullable(),
    replay_from: z.string().nullable(),
    replay_to: z.string().nullable(),
});
export type LeasedWebhook = z.infer<typeof leasedRow>;

export const dueRow = z.strictObject({
    id: z.string(),
    event_id: z.string(),
    type: z.string(),
    body: z.string(),
    attempts: z.number(),
    began_at: z.string().nullable(),
});
export type DueDelivery = z.infer<typeof dueRow>;

/** What has become of a delivery. */
export interface Attempted {
    id: string;
    /** Where it was sent. */
    url: string;
    state: 'waiting' | 'delivered' | 'failed';
    began_at: string;
    at: string;
    due_at: string | null;
    status: number | null;
    reason: string | null;
}

export interface LanesStore {
    /** Leases up to `limit` webhooks that have something to do at `now`, those first that wait longest. Returns their ids. */
    lease(limit: number, now: string): Promise<readonly string[]>;
    /** Extends the leases. Returns the ids of the webhooks that this process still has. */
    extend(ids: readonly string[]): Promise<readonly string[]>;
    /** Reads a leased webhook; undefined if it is not active or another process has it. */
    read(id: string, now: string): Promise<LeasedWebhook | undefined>;
    /** Number of deliveries that wait for an attempt. */
    waiting(id: string): Promise<number>;
    /** Adds deliveries and moves the cursor, both or none. Resolves to false if the lease or the cursor is another one. */
    feed(fed: {
        webhook: LeasedWebhook;
        deliveries: readonly NewDelivery[];
        cursor: number;
        behind: boolean;
        now: string;
    }): Promise<boolean>;
    /** The same for events that are sent again. `after` is null when all have been. */
    feedReplay(fed: {
        webhook: LeasedWebhook;
        deliveries: readonly NewDelivery[];
        after: number | null;
        now: string;
    }): Promise<boolean>;
    /** Returns the deliveries that are due, those first that wait longest. */
    due(id: string, limit: number, now: string): Promise<readonly DueDelivery[]>;
    record(attempted: Attempted): Promise<void>;
    /**
     * Notes that a webhook has failed, and until when nothing is sent to it. Like the next two methods, it does nothing if the
     * webhook has another URL or another number of failures now.
     */
    noteFailure(
        webhook: LeasedWebhook,
        failure: { failures: number; failing_since: string; not_before: string },
    ): Promise<void>;
    /** Notes that a webhook works. */
    noteSuccess(webhook: LeasedWebhook): Promise<void>;
    /** Ends the sending to a webhook, and publishes that. */
    stop(webhook: LeasedWebhook, state: 'paused' | 'disabled'): Promise<void>;
    /**
     * Gives a leased webhook back. Resolves to false if something was added since `wakes` was read; `any`: that is no
     * reason to keep it. `dueAt`: when there is something to do at the earliest, if that is known.
     */
    release(released: { id: string; wakes: number | 'any'; dueAt?: string }): Promise<boolean>;
}

export type AttemptOutcome = Verdict['kind'];
