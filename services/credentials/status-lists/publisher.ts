import { ownContext } from '../../../platform/context.ts';
import { AppError } from '../../../platform/errors.ts';
import type { ServiceOf } from '../../../platform/rpc/definition.ts';
import type { IssuerKids, SigningServiceDefinition } from '../../../proto/gen/signing/v1/signing.ts';
import { MAX_PRESENTED_CREDENTIALS, TTL_SECONDS } from '../../../proto/limits.ts';
import { mapInFlight } from '../../map-in-flight.ts';
import { encodeTokenStatuses, tokenStatuses } from './encoding.ts';
import type { Change, SignedList, StatusList, StatusListStore } from './rows.ts';
import { uriOf } from './uri.ts';

/** How long a list may be used after it was signed, in seconds. Beyond it: verifiers refuse it. */
const LIST_SECONDS = 86_400;
/** Age at which a list is signed again even if no credential was revoked, in milliseconds: half of LIST_SECONDS. */
export const RESIGN_AFTER_MS = 43_200_000;
/** Number of changes that are read at a time. Beyond it: they are read next. */
const CHANGES = 10_000;
/** Number of old lists that one run signs again. Beyond it: the next run signs the rest. */
const OLD_LISTS = 100;
/**
 * How long a list waits whose issuer could not sign it, in milliseconds: its key is compromised or lost. A new
 * credential on it, or a rotation, ends the wait.
 */
const RETRY_MS = 600_000;
/** Number of lists of issuers whose keys one run checks. Beyond it: the next run checks the next ones. */
const SIGNED_LISTS = 1_000;
/** Number of lists that are compressed and signed at a time. Beyond it: the others wait. */
const LISTS_IN_FLIGHT = 2;

export interface StatusListDependencies {
    store: StatusListStore;
    signing: Pick<ServiceOf<typeof SigningServiceDefinition>, 'getStatusKey' | 'signStatusList' | 'getKeys'>;
    /** The URL of the service in the addresses of its lists. Without one, no credential gets a place. */
    publicUrl: string | undefined;
    /** Milliseconds since 1970. */
    clock: () => number;
}

export interface Publisher {
    /** Signs the list with its current statuses and stores it. */
    publish(list: StatusList): Promise<void>;
    /**
     * Publishes the lists with revocations that are not published yet, new lists, and lists that were signed long ago.
     * It may be interrupted at any point, and several may run at once: a list is never replaced by an older one, and a
     * change is removed only after a list with it is stored. Throws at the end if lists could not be published.
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
        const { token, kid } = await signing.signStatusList({ payload, ...ownerOf(list) }, ownContext());
        const issuedAt = new Date(now * 1_000).toISOString();
        await store.publish({ list: list.list, revoked: revoked.length, issued_at: issuedAt, token, kid });
    }

    const outdated = outdatedLists({ store, signing });
    return { publish, run: () => runOnce({ store, clock, publish, outdated }) };
}

/** Who signs a list, unless it is the service itself. */
function ownerOf({ issuer_did }: StatusList): { did?: string } {
    return issuer_did.startsWith('did:web:') ? { did: issuer_did } : {};
}

/**
 * Returns a function that finds the lists of issuers that must be signed with another key. Either the issuer has
 * rotated its key, or the key that signed the list is compromised, so that nobody accepts the list. Each call looks at
 * the next SIGNED_LISTS lists, and begins again after the last one. A postponed list of an issuer that has no other key
 * is not found.
 */
function outdatedLists({ store, signing }: Pick<StatusListDependencies, 'store' | 'signing'>) {
    let after = 0;

    async function keysOf(dids: readonly string[]): Promise<Map<string, IssuerKids>> {
        const found = new Map<string, IssuerKids>();
        const asked = [...new Set(dids)];
        for (let start = 0; start < asked.length; start += MAX_PRESENTED_CREDENTIALS) {
            const some = asked.slice(start, start + MAX_PRESENTED_CREDENTIALS);
            const { issuers } = await signing.getKeys({ dids: some }, ownContext());
            for (const issuer of issuers) found.set(issuer.did, issuer);
        }
        return found;
    }

    return async (): Promise<readonly StatusList[]> => {
        const signed = await store.findSigned(after, SIGNED_LISTS);
        after = signed.length < SIGNED_LISTS ? 0 : (signed.at(-1)?.list ?? 0);
        const keys = await keysOf(signed.map((list) => list.issuer_did));
        const isOutdated = ({ issuer_did, kid, is_postponed }: SignedList) => {
            const issuer = keys.get(issuer_did);
            if (issuer?.list_kid !== undefined) return issuer.list_kid !== kid;
            return kid !== null && !issuer?.kids.includes(kid) && !is_postponed;
        };
        return signed.filter(isOutdated).map(({ kid: _, is_postponed: __, ...list }) => list);
    };
}

/** Publishes what is due. A list that fails does not keep the others waiting. */
async function runOnce({
    store,
    clock,
    publish,
    outdated,
}: Pick<StatusListDependencies, 'store' | 'clock'> &
    Pick<Publisher, 'publish'> & { outdated(): Promise<readonly StatusList[]> }): Promise<void> {
    const failures = new Map<number, unknown>();

    /** An issuer that cannot sign is the business of its owner: the list waits, and is no failure of the service. */
    const failed = async (list: StatusList, error: unknown) => {
        const isPostponed = ownerOf(list).did !== undefined && error instanceof AppError && error.kind === 'conflict';
        if (isPostponed) await store.postpone(list.list);
        else failures.set(list.list, error);
    };

    /** Publishes these lists, each of them with what follows. */
    const publishAll = (lists: readonly StatusList[], then = async (_: StatusList) => {}) =>
        mapInFlight(
            lists.filter(({ list }) => !failures.has(list)),
            LISTS_IN_FLIGHT,
            (list) =>
                publish(list)
                    .then(() => then(list))
                    .catch((error: unknown) => failed(list, error)),
            ownContext(),
        );

    /** Returns whether there may be more changes. */
    async function publishChanges(): Promise<boolean> {
        // The changes are read before the statuses, so the statuses contain each of them.
        const changes = await store.readChanges(CHANGES, [...failures.keys()]);
        const changesOf = Map.groupBy(changes, ({ list }) => list);
        const lists = await store.findLists([...changesOf.keys()]);
        await publishAll(lists, ({ list }) => store.removeChanges(idsOf(changesOf.get(list))));
        for (const { list } of lists) changesOf.delete(list);
        await store.removeChanges([...changesOf.values()].flatMap(idsOf)); // of lists that nobody can sign any more
        return changes.length === CHANGES;
    }

    while (await publishChanges());
    const ago = (ms: number) => new Date(clock() - ms).toISOString();
    await publishAll(await store.findOld({ before: ago(RESIGN_AFTER_MS), retry: ago(RETRY_MS) }, OLD_LISTS));
    await publishAll(await outdated());
    if (failures.size === 1) for (const error of failures.values()) throw error;
    if (failures.size > 1)
        throw new AggregateError(failures.values(), `${failures.size} status lists cannot be published`);
}

function idsOf(changes: readonly Change[] = []): number[] {
    return changes.map(({ id }) => id);
}
