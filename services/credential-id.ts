import { invalid } from '../platform/errors.ts';
import { uuidOf } from '../tokens/credential-id.ts';

/** Returns the UUID in a credential id. Throws AppError `invalid` if uuidOf() finds none. */
export function requireCredentialId(credentialId: string): string {
    const uuid = uuidOf(credentialId);
    if (uuid === undefined) throw invalid('credential_id is not urn:uuid: and a UUID in lower case.');
    return uuid;
}
