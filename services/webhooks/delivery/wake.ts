import { ownContext } from '../../../platform/context.ts';
import { NIL_ID } from '../../../platform/ids.ts';
import type { ServiceOf } from '../../../platform/rpc/definition.ts';
import type { EventsServiceDefinition } from '../../../proto/gen/events/v1/events.ts';
import type { WakeStore } from './wake.store.ts';

/** Number of accounts in one question for new events. Beyond it: the next question has the others. */
const ASKED_ACCOUNTS = 1_000;

/**
 * Asks which accounts have events that their webhooks have not got, and has these served. It may be interrupted and
 * repeated at any point: a webhook that it misses is found by the next run.
 */
export async function wakeWebhooks({
    store,
    events,
    clock,
}: {
    store: Pick<WakeStore, 'accounts' | 'wake'>;
    events: Pick<ServiceOf<typeof EventsServiceDefinition>, 'getHeads'>;
    /** Milliseconds since 1970. */
    clock: () => number;
}): Promise<void> {
    for (let after = NIL_ID; ; ) {
        const accounts = await store.accounts(after, ASKED_ACCOUNTS);
        const last = accounts.at(-1);
        if (last === undefined) return;
        const { heads } = await events.getHeads({ accounts: [...accounts] }, ownContext());
        if (heads.length > 0) await store.wake(heads, new Date(clock()).toISOString());
        if (accounts.length < ASKED_ACCOUNTS) return;
        after = last;
    }
}
