import { setTimeout as delay } from 'node:timers/promises';
import { type CallContext, detached } from '../platform/context.ts';
import { AppError } from '../platform/errors.ts';
import { singleFlight } from '../platform/single-flight.ts';
import { isId } from '../platform/uuid.ts';
import type { StatusListSummary } from '../proto/gen/credentials/v1/credentials.ts';
import { TTL_SECONDS } from '../proto/limits.ts';
import type { PublicDocument } from './documents.ts';
import type { KeptDocuments } from './kept-documents.ts';
import type { Services } from './services.ts';
import { sinceUpgrade } from './upgrading.ts';

/** How long the gateway uses what it knows about the lists before it asks again, in milliseconds. */
const FRESH_MS = 1_000;
/**
 * Least time between two questions about the lists, in milliseconds, however many unknown lists are requested. Beyond
 * it: the request waits.
 */
const SPACING_MS = 100;
/**
 * How long the gateway serves what it knows while the credentials service does not answer, in milliseconds: as long as
 * a verifier may keep a list anyway. Beyond it: `unavailable`.
 */
const STALE_MS = TTL_SECONDS * 1_000;
/** Time limit for a question to the credentials service, in milliseconds. Beyond it: `unavailable`. */
const TIMEOUT_MS = 5_000;

interface Index {
    /** When the question was asked, on the monotonic clock of this process, in milliseconds. */
    askedAt: number;
    lists: ReadonlyMap<string, StatusListSummary>;
}

interface StatusLists {
    /** Returns the list with this id as it is published now. Throws AppError `not_found` if there is none. */
    get(listId: string, services: Services, context: CallContext): Promise<PublicDocument>;
    /** Returns the addresses of all lists. */
    list(services: Services, context: CallContext): Promise<PublicDocument>;
}

/**
 * The published status lists, from memory. At most one question in SPACING_MS to the credentials service says which lists
 * there are and which have changed, so a request for an unknown list costs no question of its own, and leaves nothing
 * behind.
 */
export function statusLists(documents: KeptDocuments): StatusLists {
    let index: Index = { askedAt: Number.NEGATIVE_INFINITY, lists: new Map() };

    const ask = singleFlight(
        async (services: Services, context: CallContext) => {
            await delay(Math.max(0, index.askedAt + SPACING_MS - performance.now()));
            const askedAt = performance.now();
            const own = detached(context, TIMEOUT_MS);
            const { lists } = await sinceUpgrade(services.credentials.listStatusLists({}, own));
            index = { askedAt, lists: new Map(lists.map((list) => [list.list_id, list])) };
        },
        'service credentials',
        TIMEOUT_MS + SPACING_MS,
    );

    /** Returns an index that was asked for at this time or later. */
    async function indexSince(time: number, services: Services, context: CallContext): Promise<Index> {
        while (index.askedAt < time) await ask(services, context);
        return index;
    }

    /** Returns an index that is fresh or, in an outage, the one that is known. */
    function knownIndex(services: Services, context: CallContext): Promise<Index> {
        return indexSince(performance.now() - FRESH_MS, services, context).catch((error: unknown) => {
            const isOutage = error instanceof AppError && ['unavailable', 'deadline'].includes(error.kind);
            if (isOutage && performance.now() - index.askedAt < STALE_MS) return index;
            throw error;
        });
    }

    return {
        async get(listId, services, context) {
            if (!isId(listId)) throw unknownList();
            const now = performance.now();
            const known = (await knownIndex(services, context)).lists.get(listId);
            // A list that has just begun is in the next answer.
            const list = known ?? (await indexSince(now, services, context)).lists.get(listId);
            if (!list) throw unknownList();
            return documents(
                {
                    name: `status list ${listId}`,
                    since: index.askedAt,
                    version: list.version,
                    async read(own) {
                        const { token, version } = await services.credentials.getStatusList({ list_id: listId }, own);
                        return { text: token, version };
                    },
                },
                context,
            );
        },
        async list(services, context) {
            const { askedAt } = await knownIndex(services, context);
            const read = async () => ({
                text: JSON.stringify({ status_lists: Array.from(index.lists.values(), ({ uri }) => uri) }),
            });
            return documents({ name: 'status lists', since: askedAt, read }, context);
        },
    };
}

function unknownList(): AppError {
    return new AppError('not_found', 'This status list does not exist.');
}
