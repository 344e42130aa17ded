import { Places } from '../../platform/bounded-queue.ts';
import { type CallContext, requireTime } from '../../platform/context.ts';
import { AppError } from '../../platform/errors.ts';
import type { CredentialStore, ListedRow, Party, Strand } from './rows.ts';
import type { Found, ListDependencies, Range, View } from './view.ts';

/**
 * Number of rows up to which a party is read completely. Rows that the caller may not see are then left out. Beyond it:
 * the rows that the caller may see are merged from strands.
 */
const SMALL_PARTY = 1_000;
/** Number of DIDs that one call to the did service returns and that one query looks up. */
const OWNED_DIDS = 1_000;
/**
 * Maximum number of rows that one page may read in addition to the first read of each strand. Beyond it: the page ends
 * with the rows found so far and a cursor.
 */
const MAX_READ = 20_000;
/** Maximum number of searches for the rows of a large party that wait. Beyond it: `unavailable`. */
const MAX_SEARCHES_WAITING = 256;
/**
 * Number of searches for the rows of a large party that run at once: each takes up to half a second of PostgreSQL, and
 * other statements must not wait for that. Accounts take turns.
 */
const SEARCHES = new Places({ places: 1, name: 'credentials_searches', maxWaiting: MAX_SEARCHES_WAITING });
/** Minimum number of rows in the first read of a strand. Each further read takes four times as many. */
const FIRST_LOOK = 4;

/**
 * The credentials of a DID that an account may see without owning the DID: those that it has issued itself, and those
 * that name one of its own DIDs as the other party (decision C11). If the party has few rows, all of them are read. If
 * it has many, they are found among the caller's own rows, in strands ordered by id. One strand has the rows that the
 * account has issued. Each of the account's DIDs has a strand with the rows that name this DID as the other party. So a
 * page reads at most about MAX_READ rows, no matter how many the party has. If these do not fill the page, the page is
 * short or even empty, and says where to continue.
 */
export function foreignView(
    { store, services }: ListDependencies,
    { party, account }: { party: Party; account: string },
): View {
    /** The rows of a small party that the caller may see; undefined for a large party. */
    async function visibleOfSmall(before: string | undefined, context: CallContext) {
        const rows = await store.page(party, { before, size: SMALL_PARTY + 1 }, context);
        if (rows.length > SMALL_PARTY) return undefined;
        const other = party.role === 'issuer' ? 'subject' : 'issuer';
        const unknown = new Set(rows.filter((row) => row.account !== account).map((row) => row[other]));
        if (unknown.size === 0) return rows;
        const { dids } = await services.did.filterOwned({ dids: [...unknown] }, context);
        const owned = new Set(dids);
        return rows.filter((row) => row.account === account || owned.has(row[other]));
    }

    /** Yields the DIDs of the account, OWNED_DIDS at a time. */
    async function* ownedDids(context: CallContext): AsyncGenerator<string[]> {
        let after: string | undefined;
        do {
            requireTime(context);
            const { dids } = await services.did.listOwned({ limit: OWNED_DIDS, after }, context).catch(replaced);
            if (dids.length > 0) yield dids;
            after = dids.length < OWNED_DIDS ? undefined : dids.at(-1);
        } while (after !== undefined);
    }

    async function searchPage({ before, size }: Range, context: CallContext): Promise<Found> {
        const search = newestOf(store, { party, size });
        await search.add([{ account, before }], context);
        for await (const dids of ownedDids(context)) {
            await search.add(
                dids.map((did) => ({ did, before })),
                context,
            );
        }
        return search.found();
    }

    async function searchCount(context: CallContext): Promise<number> {
        let total = await store.countIssued(party, account, context);
        for await (const dids of ownedDids(context)) {
            total += await store.countOther(party, { dids, notBy: account }, context);
        }
        return total;
    }

    return {
        async page({ before, size }, context) {
            const visible = await visibleOfSmall(before, context);
            if (visible) return { rows: visible.slice(0, size) };
            return SEARCHES.run(() => searchPage({ before, size }, context), context, account);
        },
        async count(context) {
            const visible = await visibleOfSmall(undefined, context);
            if (visible) return visible.length;
            return SEARCHES.run(() => searchCount(context), context, account);
        },
    };
}

/** During an upgrade the call may reach a did process of the previous release, which does not have the method. */
function replaced(error: unknown): never {
    if (!(error instanceof AppError) || error.kind !== 'method_not_allowed') throw error;
    const text = 'A part of the service is being replaced. Try again shortly.';
    throw new AppError('unavailable', text, { retry_after: 5, reason: 'upgrade', cause: error });
}

/** Searches several strands for the newest `size` rows of a party. */
function newestOf(store: CredentialStore, { party, size }: { party: Party; size: number }) {
    const rows = new Map<string, ListedRow>();
    let mayRead = MAX_READ;
    let stoppedAt: string | undefined;

    /**
     * The id of the last of the newest `size` rows found so far; undefined while there are fewer rows. Drops the older
     * rows.
     */
    function threshold(): string | undefined {
        if (rows.size < size) return undefined;
        const newest = [...rows.keys()].sort().reverse().slice(0, size);
        for (const id of rows.keys()) if (id < (newest.at(-1) ?? '')) rows.delete(id);
        return newest.at(-1);
    }

    return {
        async add(strands: readonly Strand[], context: CallContext): Promise<void> {
            let unread = strands;
            for (let look = Math.max(FIRST_LOOK, Math.ceil(size / strands.length)); ; look *= 4) {
                requireTime(context);
                const read = await store.readStrands(party, { strands: unread, look }, context);
                for (const row of read.rows) rows.set(row.id, row);
                const least = threshold();
                unread = read.unread.filter(({ before }) => least === undefined || (before ?? '') > least);
                if (unread.length === 0) return;
                mayRead -= unread.length * look;
                if (mayRead < 0) break;
            }
            for (const { before } of unread) if (before !== undefined && before > (stoppedAt ?? '')) stoppedAt = before;
        },
        found(): Found {
            const found = [...rows.values()].sort((one, other) => (one.id < other.id ? 1 : -1));
            const least = stoppedAt;
            const sure = least === undefined ? found : found.filter(({ id }) => id >= least);
            // A full page ends at its last row, so it does not matter where the search has ended.
            return sure.length >= size ? { rows: sure.slice(0, size) } : { rows: sure, stoppedAt: least };
        },
    };
}
