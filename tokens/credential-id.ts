import { isId } from '../platform/uuid.ts';

const URN = 'urn:uuid:';

export function credentialId(uuid: string): string {
    return URN + uuid;
}

/** Returns the UUID in a credential id; undefined if the text is not `urn:uuid:` followed by a UUID in lower case. */
export function uuidOf(credentialId: string): string | undefined {
    const uuid = credentialId.slice(URN.length);
    return credentialId.startsWith(URN) && isId(uuid) ? uuid : undefined;
}
