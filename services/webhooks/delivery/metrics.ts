import type { Metrics } from '../../../platform/telemetry/metrics.ts';
import { within } from '../../../platform/within.ts';
import type { AttemptOutcome } from './rows.ts';
import type { WakeStore } from './wake.store.ts';

const OUTCOMES: readonly AttemptOutcome[] = ['delivered', 'rejected', 'unreachable', 'refused', 'gone'];
const INACTIVE = ['paused', 'disabled'];
/** Time limit for PostgreSQL to answer, in milliseconds. Beyond it: the metrics lack what it knows. */
const TIMEOUT_MS = 500;

/** Exports how the deliveries go. Returns a function that counts an attempt. */
export function deliveryMetrics(
    metrics: Metrics,
    { store, clock }: { store: Pick<WakeStore, 'oldestDue' | 'inactive'>; clock: () => number },
): (outcome: AttemptOutcome) => void {
    const attempts = metrics.counter({
        name: 'webhook_attempts_total',
        help: 'Attempts to deliver to webhooks, by outcome.',
        labels: ['outcome'],
    });
    for (const outcome of OUTCOMES) attempts.inc({ outcome }, 0);
    metrics.collect(
        {
            type: 'gauge',
            name: 'webhook_oldest_due_seconds',
            help: 'How long the webhook has waited that has waited longest for a process to serve it. 0: none waits.',
            labels: [],
        },
        async () => {
            const asked = store.oldestDue().then((dueAt) => ({ due_at: dueAt }));
            const found = await within(TIMEOUT_MS, asked).catch(() => undefined);
            if (!found) return [];
            const ms = found.due_at === undefined ? 0 : Math.max(0, clock() - Date.parse(found.due_at));
            return [{ labels: {}, value: ms / 1_000 }];
        },
    );
    metrics.collect(
        {
            type: 'gauge',
            name: 'webhook_inactive',
            help: 'Webhooks that get nothing, because they are paused or disabled.',
            labels: ['state'],
        },
        async () => {
            const rows = await within(TIMEOUT_MS, store.inactive()).catch(() => undefined);
            if (!rows) return [];
            const known = new Map(rows.map(({ state, endpoints }) => [state, endpoints]));
            return INACTIVE.map((state) => ({ labels: { state }, value: known.get(state) ?? 0 }));
        },
    );
    return (outcome) => attempts.inc({ outcome });
}
