import type { CallContext } from '../../../platform/context.ts';
import type {
    ListSessionsRequest,
    ListSessionsResponse,
    SessionSummary,
} from '../../../proto/gen/identity/v1/identity.ts';
import type { Cursors } from '../../cursors.ts';
import { onePage } from '../../paging.ts';
import type { IdentityStore } from '../store.ts';
import { requireAccountId } from '../user.ts';
import type { ListedSession } from './list.store.ts';

/** Returns the method that lists the sessions of an account, newest first. */
export function sessionList({ store, cursors }: { store: IdentityStore; cursors: Cursors }) {
    return async (request: ListSessionsRequest, context: CallContext): Promise<ListSessionsResponse> => {
        const userId = requireAccountId(context);
        const { page, next_cursor } = await onePage(request, {
            cursors,
            scope: { list: 'sessions', account: userId },
            idOf: ({ session_id }: ListedSession) => session_id,
            rows: (range) => store.listSessions({ user_id: userId, ...range }, context),
        });
        return { sessions: page.map(shown), next_cursor };
    };
}

function shown({ ended_at, ...session }: ListedSession): SessionSummary {
    return { ...session, ended_at: ended_at ?? undefined };
}
