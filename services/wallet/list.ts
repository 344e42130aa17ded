import { setImmediate as yieldTurn } from 'node:timers/promises';
import type { CallContext } from '../../platform/context.ts';
import { AppError } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';
import type { ListCredentialsResponse, StoredCredential } from '../../proto/gen/wallet/v1/wallet.ts';
import { credentialId } from '../credential-id.ts';
import { openCredential } from './records.ts';
import type { EntryRow, WalletStore } from './store.ts';

export const MAX_LIMIT = 1_000;
/** With one more credential, which a token of 1 MiB can make as large as this, an answer stays below 2 MiB. */
const MAX_PAGE_BYTES = 900_000;
/** Records opened without a pause: about a millisecond. */
const RECORDS_AT_ONCE = 64;

export interface PageRequest {
    limit: number;
    /** Where the page before ended. */
    cursor?: string | undefined;
    with_total: boolean;
    with_tokens: boolean;
}

/** Checks what can be checked before the password; else AppError `invalid`. */
export function requirePage({ limit, cursor }: Pick<PageRequest, 'limit' | 'cursor'>): void {
    if (limit < 1 || limit > MAX_LIMIT) throw new AppError('invalid', `limit must be 1 to ${MAX_LIMIT}.`);
    if (cursor !== undefined && !isId(cursor)) throw new AppError('invalid', 'cursor is not one of this list.');
}

/** One page of a wallet's credentials, newest first. */
export async function listCredentials(
    store: WalletStore,
    { wallet, data_key }: { wallet: string; data_key: Uint8Array },
    { limit, cursor, with_total, with_tokens }: PageRequest,
    context: CallContext,
): Promise<ListCredentialsResponse> {
    const { rows, more } = await store.page(wallet, { before: cursor, limit, bytes: MAX_PAGE_BYTES }, context);
    const is_whole = cursor === undefined && !more;
    const credentials: StoredCredential[] = [];
    for (const row of rows) {
        const { credential, ...content } = openCredential(row, data_key, wallet);
        credentials.push({ ...nameOf(row), ...content, credential: with_tokens ? credential : undefined });
        if (credentials.length % RECORDS_AT_ONCE === 0) await yieldTurn();
    }
    return {
        credentials,
        next_cursor: more ? rows.at(-1)?.entry : undefined,
        total: with_total ? (is_whole ? rows.length : await store.count(wallet, context)) : undefined,
    };
}

function nameOf({ credential, stored_at }: EntryRow): Pick<StoredCredential, 'credential_id' | 'stored_at'> {
    return { credential_id: credentialId(credential), stored_at };
}
