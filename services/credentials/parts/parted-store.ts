import { AppError } from '../../../platform/errors.ts';
import { singleFlight } from '../../../platform/single-flight.ts';
import type { CredentialStore, IssuedRow, ListedRow } from '../rows.ts';
import { partOfId, partsOfIssuer } from './part-map.ts';
import type { Parts } from './parts.ts';

/** How long a process relies on the number of parts that it has read, in milliseconds. Beyond it: it reads it again. */
const COUNT_LEASE_MS = 1_000;

/** The credentials of all parts as one store. What names an id goes to the part of that id. */
export function partedStore(parts: Parts): CredentialStore {
    const { map, stores } = parts;
    const [only] = stores;
    if (only && stores.length === 1) return only;
    const { storeOf, requireNoFurtherPart } = byId(parts, stores);
    return {
        insert: (row, lifetime) => known(storeOf(row.id)).insert(row, lifetime),
        insertOnce: (once, lifetime) => known(storeOf(once.row.id)).insertOnce(once, lifetime),
        revoke: (revocation, lifetime) => known(storeOf(revocation.id)).revoke(revocation, lifetime),
        async find(id, lifetime) {
            const store = storeOf(id);
            if (store) return store.find(id, lifetime);
            await requireNoFurtherPart();
            return undefined;
        },
        async page(party, range, lifetime) {
            const asked = party.role === 'issuer' ? ofIssuer(party.did) : stores;
            const pages = await Promise.all(asked.map((store) => store.page(party, range, lifetime)));
            return newest(pages, range.size);
        },
        async count(party, lifetime) {
            const asked = party.role === 'issuer' ? ofIssuer(party.did) : stores;
            const totals = await Promise.all(asked.map((store) => store.count(party, lifetime)));
            return totals.reduce((sum, total) => sum + total, 0);
        },
        /** Reads one part after the other. */
        async issued({ account, after, limit }, lifetime) {
            const reached = after ? partOfId(after.id, map) : 0;
            const rows: IssuedRow[] = [];
            for (const [part, store] of stores.entries()) {
                if (part < reached) continue;
                const own = part === reached ? after : undefined;
                rows.push(...(await store.issued({ account, after: own, limit: limit - rows.length }, lifetime)));
                if (rows.length === limit) break;
            }
            return rows;
        },
        async ping() {
            await Promise.all(stores.map((store) => store.ping()));
        },
    };

    function ofIssuer(issuer: string): readonly CredentialStore[] {
        return partsOfIssuer(issuer, map).map((part) => known(stores[part]));
    }
}

/** Finds stores by the ids of what they have. */
export function byId<Store>({ map, countParts }: Pick<Parts, 'map' | 'countParts'>, stores: readonly Store[]) {
    let read = { count: map.count, until: 0 };
    const look = singleFlight(async () => {
        read = { count: await countParts(), until: performance.now() + COUNT_LEASE_MS };
    }, 'database');
    return {
        /** Returns undefined if this process has no such part. */
        storeOf: (id: string): Store | undefined => stores[partOfId(id, map)],
        /** For an id without a store. Throws AppError `unavailable` if there are parts that this process does not know. */
        async requireNoFurtherPart(): Promise<void> {
            if (performance.now() >= read.until) await look();
            if (read.count <= map.count) return;
            throw new AppError('unavailable', 'This credential is in a part that is being added. Try again shortly.', {
                retry_after: 1,
                reason: 'credential_parts',
            });
        },
    };
}

/** The service has made the id itself, or has found its row. */
export function known<Store>(store: Store | undefined): Store {
    if (store) return store;
    throw new Error('This process does not have the part of this id.');
}

function newest(pages: ReadonlyArray<readonly ListedRow[]>, size: number): readonly ListedRow[] {
    const [only] = pages;
    if (only && pages.length === 1) return only;
    return pages
        .flat()
        .sort((one, other) => (one.id < other.id ? 1 : -1))
        .slice(0, size);
}
