import { type CallContext, requireUser } from '../../platform/context.ts';
import type { ListRequest, ListResponse } from '../../proto/gen/wallet/v1/wallet.ts';
import type { Cursors } from '../cursors.ts';
import { onePage } from '../paging.ts';
import type { ListedWallet, WalletStore } from './store.ts';

/** Returns one page of the wallets of an account, newest first, with what of them is not sealed. */
export async function listWallets(
    { store, cursors }: { store: WalletStore; cursors: Cursors },
    request: ListRequest,
    context: CallContext,
): Promise<ListResponse> {
    const account = requireUser(context);
    const { page, next_cursor } = await onePage(request, {
        cursors,
        scope: { list: 'wallets', account },
        idOf: ({ id }: ListedWallet) => id,
        rows: (range) => store.list({ account, ...range }, context),
    });
    return { wallets: page.map(({ id, created_at }) => ({ wallet_id: id, created_at })), next_cursor };
}
