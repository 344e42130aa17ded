import { setImmediate as yieldTurn } from 'node:timers/promises';
import type { CallContext } from '../../platform/context.ts';
import type { ListCredentialsResponse, StoredCredential } from '../../proto/gen/wallet/v1/wallet.ts';
import { credentialId } from '../credential-id.ts';
import { requireIdCursor, requireLimit, totalOf } from '../paging.ts';
import { openCredential } from './records.ts';
import type { EntryRow, WalletStore } from './store.ts';

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
    requireLimit(limit);
    requireIdCursor(cursor);
}

/** One page of a wallet's credentials, newest first. */
export async function listCredentials(
    store: WalletStore,
    { wallet, data_key }: { wallet: string; data_key: Uint8Array },
    { limit, cursor, with_total, with_tokens }: PageRequest,
    context: CallContext,
): Promise<ListCredentialsResponse> {
    const { rows, more } = await store.page(wallet, { before: cursor, limit, bytes: MAX_PAGE_BYTES }, context);
    const credentials: StoredCredential[] = [];
    for (const row of rows) {
        const { credential, ...content } = openCredential(row, data_key, wallet);
        credentials.push({ ...nameOf(row), ...content, credential: with_tokens ? credential : undefined });
        if (credentials.length % RECORDS_AT_ONCE === 0) await yieldTurn();
    }
    return {
        credentials,
        next_cursor: more ? rows.at(-1)?.entry : undefined,
        total: await totalOf({ cursor, with_total }, { rows: rows.length, more }, () => store.count(wallet, context)),
    };
}

function nameOf({ credential, stored_at }: EntryRow): Pick<StoredCredential, 'credential_id' | 'stored_at'> {
    return { credential_id: credentialId(credential), stored_at };
}
