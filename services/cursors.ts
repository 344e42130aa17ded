import { decodeBase64Url, encodeBase64Url } from '../platform/base64.ts';
import { invalid } from '../platform/errors.ts';
import { sharedSeal } from './shared-seal.ts';

/** The list that a cursor belongs to. */
export interface ListScope {
    /** The kind of the list. */
    list:
        | 'keys'
        | 'credentials_by_issuer'
        | 'credentials_by_subject'
        | 'credentials_issued'
        | 'wallet_credentials'
        | 'issuers'
        | 'sessions'
        | 'presentations'
        | 'wallets'
        | 'webhooks'
        | 'webhook_deliveries'
        | 'offers';
    /** The account that reads the list; undefined for a trusted caller that acts for no account. */
    account: string | undefined;
    /** The DID or the wallet of the list; needed if an account can read several lists of this kind. */
    of?: string;
}

/** Creates and reads cursors. They are opaque and authenticated: callers can neither read nor forge them. */
export interface Cursors {
    /** Returns a cursor for the UUID of a page's last row. */
    seal(id: string, scope: ListScope): string;
    /** Returns the UUID. Throws AppError `invalid` if `seal` has not created the cursor for this list and account. */
    open(cursor: string, scope: ListScope): string;
}

const UUID_BYTES = 16;
/** Length of a cursor, in characters: a sealed UUID has 45 bytes. Beyond it: `invalid`, before anything is decoded. */
const CURSOR_LENGTH = 60;

/** All processes must have the same `secrets`. The first one seals cursors; each of them opens cursors. */
export function cursors(secrets: readonly [string, ...string[]]): Cursors {
    const shared = sharedSeal(secrets, 'list cursors');
    return {
        seal(id, scope) {
            const bytes = Buffer.from(id.replaceAll('-', ''), 'hex');
            return encodeBase64Url(shared.seal(bytes, bindingOf(scope)));
        },
        open(cursor, scope) {
            const sealed = cursor.length === CURSOR_LENGTH ? decodeBase64Url(cursor) : undefined;
            const bytes = sealed && shared.open(sealed, bindingOf(scope));
            if (bytes?.length !== UUID_BYTES) throw invalid('cursor is not one of this list.');
            return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
        },
    };
}

function bindingOf({ list, account, of }: ListScope) {
    return [list, account, of];
}
