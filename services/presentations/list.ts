import { type CallContext, requireUser } from '../../platform/context.ts';
import type { ListRequest, ListResponse } from '../../proto/gen/presentations/v1/presentations.ts';
import type { Cursors } from '../cursors.ts';
import { onePage } from '../paging.ts';
import { presentationId } from './create.ts';
import type { ListedPresentation, PresentationStore } from './store.ts';

/** Returns one page of the presentations of an account, newest first. */
export async function listPresentations(
    { store, cursors }: { store: PresentationStore; cursors: Cursors },
    request: ListRequest,
    context: CallContext,
): Promise<ListResponse> {
    const account = requireUser(context);
    const { page, next_cursor } = await onePage(request, {
        cursors,
        scope: { list: 'presentations', account },
        idOf: ({ id }: ListedPresentation) => id,
        bytesOf: ({ holder, audience }) => holder.length + audience.length, // DIDs are ASCII
        rows: (range) => store.list({ account, ...range }, context),
    });
    return {
        presentations: page.map(({ id, ...row }) => ({ presentation_id: presentationId(id), ...row })),
        next_cursor,
    };
}
