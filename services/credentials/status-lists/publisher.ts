import { ownContext } from '../../../platform/context.ts';
import type { ServiceOf } from '../../../platform/rpc/definition.ts';
import type { SigningServiceDefinition } from '../../../proto/gen/signing/v1/signing.ts';
import { mapInFlight } from '../../map-in-flight.ts';
import { encodeTokenStatuses, tokenStatuses } from './encoding.ts';
import type { StatusList, StatusListStore } from './rows.ts';
import { uriOf } from './uri.ts';

/** How long a list may be used after it was signed, in seconds. */
export const LIST_SECONDS = 86_400;
/** How long a verifier may keep a list before it fetches it again, in seconds. */
export const TTL_SECONDS = 60;
/** A list is signed again after this time, in milliseconds, even if no credential was revoked: half of LIST_SECONDS. */
export const RESIGN_AFTER_MS = 43_200_000;
/** Number of changes that are read at a time. */
const CHANGES = 10_000;
/** Number of old lists that one run signs again. */
const OLD_LISTS = 100;
/** Number of lists that are compressed and signed at a time. */
const LISTS_IN_FLIGHT = 2;

export interface StatusListDependencies {
    store: StatusListStore;
    signing: Pick<ServiceOf<typeof SigningServiceDefinition>, 'getStatusKey' | 'signStatusList'>;
    /** The URL of the service in the addresses of its lists. Without one, no credential gets a place. */
    publicUrl: string | undefined;
    /** Milliseconds since 1970. */
    clock: () => number;
}

export interface Publisher {
    /** Signs the list with its current statuses and stores it. */
    publish(list: StatusList): Promise<void>;
    /**
     * Publishes the lists with revocations that are not published yet, new lists, and lists that were signed long ago. It
     * may be interrupted at any point, and several may run at once: a list is never replaced by an older one, and a
     * change is removed only after a list with it is stored.
     */
    run(): Promise<void>;
}

export function statusListPublisher({ store, signing, clock }: Omit<StatusListDependencies, 'publicUrl'>): Publisher {
    async function publish(list: StatusList): Promise<void> {
        const now = Math.floor(clock() / 1_000); // before the statuses are read: the list is at least as recent as it says
        const revoked = await store.readRevoked(list.list);
        const lst = await encodeTokenStatuses(tokenStatuses(revoked));
        const payload = JSON.stringify({
            iss: list.issuer_did,
            sub: uriOf(list),
            iat: now,
            exp: now + LIST_SECONDS,
            ttl: TTL_SECONDS,
            status_list: { bits: 1, lst },
        });
        const { token } = await signing.signStatusList({ payload }, ownContext());
        const issuedAt = new Date(now * 1_000).toISOString();
        await store.publish({ list: list.list, revoked: revoked.length, issued_at: issuedAt, token });
    }

    const publishAll = (lists: readonly StatusList[]) => mapInFlight(lists, LISTS_IN_FLIGHT, publish, ownContext());

    /** Returns the number of changes that it has published. */
    async function publishChanges(): Promise<number> {
        // The changes are read before the statuses, so the statuses contain each of them.
        const changes = await store.readChanges(CHANGES);
        if (changes.length === 0) return 0;
        await publishAll(await store.findLists([...new Set(changes.map(({ list }) => list))]));
        await store.removeChanges(changes.map(({ id }) => id));
        return changes.length;
    }

    return {
        publish,
        async run() {
            while ((await publishChanges()) === CHANGES);
            await publishAll(await store.findOld(new Date(clock() - RESIGN_AFTER_MS).toISOString(), OLD_LISTS));
        },
    };
}
