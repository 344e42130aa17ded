import { promisify } from 'node:util';
import { constants, deflate } from 'node:zlib';
import { encodeBase64Url } from '../../../platform/base64.ts';
import { LIST_PLACES } from './permutation.ts';

const deflated = promisify(deflate);
const SMALLEST = { level: constants.Z_BEST_COMPRESSION };

/** One bit for each place of a list. */
type Statuses = Uint8Array;

/**
 * Returns the statuses of a list as a Token Status List has them: 1 for each of the indexes, the first one in the least
 * significant bit of the first byte (draft-ietf-oauth-status-list-21, section 4.1).
 */
export function tokenStatuses(revoked: Iterable<number>): Statuses {
    const statuses = new Uint8Array(LIST_PLACES / 8);
    for (const index of revoked) statuses[index >> 3] = (statuses[index >> 3] as number) | (1 << (index & 7)); // below 2^20
    return statuses;
}

/** Compresses statuses with zlib, off the event loop, and encodes them as a `lst` (section 4.1). */
export async function encodeTokenStatuses(statuses: Statuses): Promise<string> {
    return encodeBase64Url(await deflated(statuses, SMALLEST));
}
