import { randomBytes } from 'node:crypto';
import { createCache } from '../../../platform/cache.ts';
import { ownContext } from '../../../platform/context.ts';
import { AppError, invalid } from '../../../platform/errors.ts';
import { singleFlight } from '../../../platform/single-flight.ts';
import type { StatusPlace } from '../../../proto/gen/credentials/v1/credentials.ts';
import { newIdIn } from '../parts/part-map.ts';
import { permutation } from './permutation.ts';
import type { Publisher, StatusListDependencies } from './publisher.ts';
import type { Block, ListOwner, Place, StatusList } from './rows.ts';
import { uriOf } from './uri.ts';

/**
 * Time limit for taking a block of places, in milliseconds. Calls that need a place wait for it. Beyond it:
 * `unavailable`.
 */
const BLOCK_TIMEOUT_MS = 5_000;
/**
 * How long a process relies on the answer that the key of the lists can sign, in milliseconds. Beyond it: it asks
 * again.
 */
const SIGNER_LEASE_MS = 1_000;
/** Time limit for that answer, in milliseconds. Beyond it: it gives out the places that it has. */
const SIGNER_TIMEOUT_MS = 1_000;
/** The reason of errors, for logs and metrics. */
const REASON = 'status_lists';
/** The reason of the signing service's error if it does not have the key-encryption key of its own issuer. */
const LOST_KEK = 'kek';
const KEY_BYTES = 16;
/**
 * Number of attempts to take a block: the first may have to begin a list, the second to publish it, and another process
 * may fill it before the third. Beyond it: `unavailable`.
 */
const ATTEMPTS = 4;

/** Gives places on status lists to new credentials. */
export interface StatusPlaces {
    /**
     * Returns a place that no other credential has, on the list of the service. Throws AppError `invalid` if the service has
     * no PUBLIC_URL, and `unavailable` if the key of the lists is lost: within a day, nobody could verify the credential any
     * more.
     */
    take(): Promise<Place>;
    /** Like take(), on the list of a did:web issuer. Throws `conflict` if the issuer cannot sign. */
    takeOf(issuerDid: string): Promise<Place>;
    /** Finds the place of a credential by its UUID. Throws an Error if it has none. */
    find(id: string): Promise<Place>;
}

interface PlacesDependencies extends StatusListDependencies {
    publisher: Publisher;
    /** The part of the credentials that get the places. */
    part: number;
}

/**
 * Number of places of the service's list that a process takes at a time. It divides LIST_PLACES. A process that ends leaves
 * the rest of its places empty. Beyond it: it takes more when they are used up.
 */
export const BLOCK_PLACES = 1_024;
/** The same for the list of an issuer, of which there are many. */
const ISSUER_BLOCK_PLACES = 64;
/**
 * Maximum number of issuers whose places a process keeps. Beyond it: the least recently used half is dropped, with the
 * places that they have left.
 */
const MAX_ISSUERS = 256;

interface Open extends StatusList {
    indexOf(place: number): number;
    next: number;
    end: number;
}

export function statusPlaces(deps: PlacesDependencies): StatusPlaces {
    const { store } = deps;
    const signerDid = currentSigner(deps.signing);
    const ofService = openList(deps);
    const ofIssuers = createCache<string, OpenList>(MAX_ISSUERS);
    return {
        async take() {
            const publicUrl = requirePublicUrl(deps);
            return ofService.take({ public_url: publicUrl }, await signerDid());
        },
        async takeOf(issuerDid) {
            const publicUrl = requirePublicUrl(deps);
            const known = ofIssuers.get(issuerDid) ?? openList(deps);
            ofIssuers.set(issuerDid, known);
            return known.take({ public_url: publicUrl, issuer_did: issuerDid }, issuerDid);
        },
        async find(id) {
            const place = await store.findPlace(id);
            if (!place) throw new Error('A credential with a status list has no place.');
            return place;
        },
    };
}

function requirePublicUrl({ publicUrl }: PlacesDependencies): string {
    if (publicUrl === undefined) throw invalid('status_list is not possible: this service has no PUBLIC_URL.');
    return publicUrl;
}

interface OpenList {
    /** `signer`: the DID that signs the lists of this owner now, if it is known. */
    take(owner: ListOwner, signer: string | undefined): Promise<Place>;
}

/** The places of one owner that this process may give out. */
function openList(deps: PlacesDependencies): OpenList {
    let open: Open | undefined;
    const refill = singleFlight(
        async (owner: ListOwner) => {
            const places = owner.issuer_did === undefined ? BLOCK_PLACES : ISSUER_BLOCK_PLACES;
            const { permutation_key: key, first, ...list } = await nextBlock(deps, owner, places);
            open = { ...list, indexOf: permutation(key), next: first, end: first + places };
        },
        REASON,
        BLOCK_TIMEOUT_MS,
    );
    return {
        async take(owner, signer) {
            if (signer !== undefined && open?.issuer_did !== signer) open = undefined; // the earlier signer's key was given up
            while (open === undefined || open.next === open.end) await refill(owner);
            const { list, list_id, public_url, issuer_did } = open;
            return { list, list_id, public_url, issuer_did, status_index: open.indexOf(open.next++) };
        },
    };
}

/**
 * Returns a function that resolves to the DID that signs lists, or to undefined if nobody knows, because the signing
 * service or the provider of its key-encryption key is away. Throws AppError `unavailable` if the key is lost.
 */
function currentSigner(signing: StatusListDependencies['signing']): () => Promise<string | undefined> {
    const ask = singleFlight(() => signing.getStatusKey({}, ownContext()), REASON, SIGNER_TIMEOUT_MS);
    let known: string | undefined;
    let until = 0;
    return async () => {
        if (performance.now() < until) return known;
        try {
            known = (await ask()).did;
        } catch (error) {
            if (error instanceof AppError && error.reason === LOST_KEK) throw error;
            known = undefined;
        }
        until = performance.now() + SIGNER_LEASE_MS;
        return known;
    };
}

/**
 * Takes a block of the open list, and begins a list if none is open. It is published first: no credential names a list
 * that nobody can read, and while lists cannot be signed, no places are used up.
 */
async function nextBlock(
    { store, signing, publisher, part, clock }: PlacesDependencies,
    owner: ListOwner,
    places: number,
): Promise<Block> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const block = await store.takeBlock(owner, places);
        if (block) return block;
        const unread = await store.findOpen(owner);
        if (unread) {
            await publisher.publish(unread);
            continue;
        }
        const did = owner.issuer_did ?? (await signing.getStatusKey({}, ownContext())).did;
        const now = clock();
        await store.begin({
            list_id: newIdIn(part, now),
            public_url: owner.public_url,
            issuer_did: did,
            permutation_key: randomBytes(KEY_BYTES),
            created_at: new Date(now).toISOString(),
        });
    }
    throw new AppError('unavailable', 'No status list has a free place. Try again shortly.', {
        retry_after: 1,
        reason: REASON,
    });
}

/** The place as a PASETO credential and the answers show it. */
export function shownPlace(place: Place): StatusPlace {
    return { idx: place.status_index, uri: uriOf(place), iss: place.issuer_did };
}
