import { AppError } from '../../../platform/errors.ts';
import type { ServiceOf } from '../../../platform/rpc/definition.ts';
import { isId } from '../../../platform/uuid.ts';
import type { CredentialsServiceDefinition } from '../../../proto/gen/credentials/v1/credentials.ts';
import type { StatusListStore } from './rows.ts';
import { uriOf } from './uri.ts';

/**
 * Maximum number of lists that are named: enough for ten billion credentials. Beyond it: the oldest lists are not
 * served.
 */
const MAX_LISTS = 10_000;

/** The methods that return what is published. */
export function publishedLists(
    store: Pick<StatusListStore, 'listPublished' | 'findPublished'>,
): Pick<ServiceOf<typeof CredentialsServiceDefinition>, 'listStatusLists' | 'getStatusList'> {
    return {
        async listStatusLists() {
            const lists = await store.listPublished(MAX_LISTS);
            return { lists: lists.map((list) => ({ list_id: list.list_id, uri: uriOf(list), version: list.version })) };
        },
        async getStatusList({ list_id }) {
            const found = isId(list_id) ? await store.findPublished(list_id) : undefined;
            if (found) return found;
            throw new AppError('not_found', 'This status list does not exist.');
        },
    };
}
