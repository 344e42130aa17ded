import { decodeDidKey } from './did-key.ts';
import { membersOf } from './jws.ts';
import { decodeP256DidKey } from './p256-did-key.ts';

/** Where the status of a credential stands. The issuer has signed this. */
export interface StatusReference {
    idx: number;
    /** The address of the list. */
    uri: string;
    /** The did:key that signs the list. If absent, the issuer of the credential signs it with a key of its own. */
    iss: string | undefined;
}

/** Maximum length of the address of a list, in characters. Beyond it: the status is unknown. */
const MAX_URI_LENGTH = 2_048;

/** Reads the member `status` of a payload. Undefined if it names no list that is known here. */
export function readStatusReference(status: unknown): StatusReference | undefined {
    const { idx, uri, iss } = membersOf(membersOf(status)['status_list']);
    if (typeof idx !== 'number' || !Number.isSafeInteger(idx) || idx < 0) return undefined;
    if (typeof uri !== 'string' || uri.length > MAX_URI_LENGTH) return undefined;
    if (iss === undefined) return { idx, uri, iss };
    return typeof iss === 'string' && (decodeDidKey(iss) ?? decodeP256DidKey(iss)) ? { idx, uri, iss } : undefined;
}
