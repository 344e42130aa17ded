import type { StatusListStore } from '../status-lists/rows.ts';
import { byId } from './parted-store.ts';
import type { Parts } from './parts.ts';

type PublishedLists = Pick<StatusListStore, 'listPublished' | 'findPublished'>;

/** What is published about the lists of all parts. If a part does not answer, nobody learns that its lists are gone. */
export function partedStatusLists(parts: Parts): PublishedLists {
    const { statusLists } = parts;
    const { storeOf, requireNoFurtherPart } = byId(parts, statusLists);
    return {
        async listPublished(limit) {
            const lists = await Promise.all(statusLists.map((store) => store.listPublished(limit)));
            return lists.flat().slice(0, limit);
        },
        async findPublished(listId) {
            const store = storeOf(listId);
            if (store) return store.findPublished(listId);
            await requireNoFurtherPart();
            return undefined;
        },
    };
}
