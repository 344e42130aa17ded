import { setImmediate as yieldTurn } from 'node:timers/promises';
import type { CallContext } from '../../platform/context.ts';
import type {
    ListCredentialsRequest,
    ListCredentialsResponse,
    StoredCredential,
} from '../../proto/gen/wallet/v1/wallet.ts';
import { credentialId } from '../../tokens/credential-id.ts';
import type { Cursors, ListScope } from '../cursors.ts';
import { requireLimit, totalOf } from '../paging.ts';
import { openCredential } from './records.ts';
import type { EntryRow } from './rows.ts';
import type { WalletStore } from './store.ts';

/**
 * Size at which a page ends, in bytes. The last credential may exceed it: a token has at most 1 MiB, so the answer
 * stays below 2 MiB. Beyond it: the page has a cursor.
 */
const MAX_PAGE_BYTES = 900_000;
/**
 * Number of records that are opened before other work gets a turn of the event loop. They take about a millisecond.
 * Beyond it: other calls run before the next ones.
 */
const RECORDS_AT_ONCE = 64;

interface PageRequest {
    limit: number;
    /** The last entry of the previous page. */
    before: string | undefined;
    with_total: boolean;
    with_tokens: boolean;
}

/** Checks the parts of a request that can be checked before the password. Throws AppError `invalid`. */
export function requirePage(
    cursors: Cursors,
    { wallet_id, limit, cursor, with_total, with_tokens }: ListCredentialsRequest,
    { user_id }: CallContext,
): PageRequest {
    requireLimit(limit);
    const before = cursor === undefined ? undefined : cursors.open(cursor, scopeOf(wallet_id, user_id));
    return { limit, before, with_total, with_tokens };
}

function scopeOf(wallet: string, account: string | undefined): ListScope {
    return { list: 'wallet_credentials', account, of: wallet };
}

interface ListDependencies {
    store: WalletStore;
    cursors: Cursors;
}

/** Returns one page of a wallet's credentials, newest first. */
export async function listCredentials(
    { store, cursors }: ListDependencies,
    { wallet, data_key }: { wallet: string; data_key: Uint8Array },
    { limit, before, with_total, with_tokens }: PageRequest,
    context: CallContext,
): Promise<ListCredentialsResponse> {
    const { rows, more } = await store.page(wallet, { before, limit, bytes: MAX_PAGE_BYTES }, context);
    const credentials: StoredCredential[] = [];
    for (const row of rows) {
        const { credential, ...content } = openCredential(row, data_key, wallet);
        credentials.push({ ...nameOf(row), ...content, credential: with_tokens ? credential : undefined });
        if (credentials.length % RECORDS_AT_ONCE === 0) await yieldTurn();
    }
    const seen = { rows: rows.length, more };
    const total = await totalOf({ cursor: before, with_total }, seen, () => store.count(wallet, context));
    const last = rows.at(-1);
    if (!more || !last) return { credentials, total };
    return { credentials, next_cursor: cursors.seal(last.entry, scopeOf(wallet, context.user_id)), total };
}

function nameOf({ credential, stored_at }: EntryRow): Pick<StoredCredential, 'credential_id' | 'stored_at'> {
    return { credential_id: credentialId(credential), stored_at };
}
