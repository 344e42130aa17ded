import { invalid } from '../platform/errors.ts';
import { isId } from '../platform/ids.ts';

const URN = 'urn:uuid:';

export function credentialId(uuid: string): string {
    return URN + uuid;
}

/** The UUID in a credential id; undefined for any text that is not `urn:uuid:` and a UUID in lower case. */
export function uuidOf(credential_id: string): string | undefined {
    const uuid = credential_id.slice(URN.length);
    return credential_id.startsWith(URN) && isId(uuid) ? uuid : undefined;
}

/** Like uuidOf, but throws AppError `invalid` instead of returning undefined. */
export function requireCredentialId(credential_id: string): string {
    const uuid = uuidOf(credential_id);
    if (uuid === undefined) throw invalid('credential_id is not urn:uuid: and a UUID in lower case.');
    return uuid;
}
