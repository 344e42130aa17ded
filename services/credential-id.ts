import { invalid } from '../platform/errors.ts';
import { isId } from '../platform/ids.ts';

const URN = 'urn:uuid:';

export function credentialId(uuid: string): string {
    return URN + uuid;
}

/** Returns the UUID in a credential id; undefined if the text is not `urn:uuid:` followed by a UUID in lower case. */
export function uuidOf(credentialId: string): string | undefined {
    const uuid = credentialId.slice(URN.length);
    return credentialId.startsWith(URN) && isId(uuid) ? uuid : undefined;
}

/** Like uuidOf, but throws AppError `invalid` instead of returning undefined. */
export function requireCredentialId(credentialId: string): string {
    const uuid = uuidOf(credentialId);
    if (uuid === undefined) throw invalid('credential_id is not urn:uuid: and a UUID in lower case.');
    return uuid;
}
