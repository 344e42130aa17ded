import { encodeBase64 } from '../platform/base64.ts';
import { newId } from '../platform/ids.ts';
import { writePayload as credentialPayload } from '../tokens/credential.ts';
import { writePayload as presentationPayload } from '../tokens/presentation.ts';
import { encodeDidKey } from '../workers/crypto/did-key.ts';
import { generateKeyPair, type KeyPair, secretKeyBytes } from '../workers/crypto/ed25519.ts';
import { signToken } from '../workers/crypto/paseto.ts';

/**
 * Makes key pairs and tokens before a run, in the same way as the service. If a job does not repeat its requests, each
 * token is sent once.
 */

export interface Signer extends KeyPair {
    did: string;
}

export interface Credential {
    /** UUID */
    id: string;
    issuer: string;
    issued_at: string;
    token: string;
}

export const SUBJECT = 'did:web:subject.example';
export const CREDENTIAL_TYPE = 'EmploymentCredential';
export const AUDIENCE = 'did:web:verifier.example';

export function newSigner(): Signer {
    const pair = generateKeyPair();
    return { ...pair, did: encodeDidKey(pair.public_key) };
}

export function privateKeyOf({ seed, public_key }: Signer): string {
    return encodeBase64(secretKeyBytes(seed, public_key));
}

/** Returns claims of about 400 bytes, which `index` makes unique. */
export function claimsOf(index: number): Record<string, unknown> {
    return {
        employee_number: `E-${String(index).padStart(8, '0')}`,
        role: 'Senior Engineer',
        department: 'Distributed Systems',
        employer: { name: 'Analytical Engines Ltd', country: 'GB', registration: '01234567' },
        start_date: '2024-03-01',
        full_time: true,
        grade: 7,
        skills: ['typescript', 'postgresql', 'cryptography', 'operations'],
        statement: 'Employed without limit of time; references are given by the personnel department on request.',
    };
}

/** Returns 25 claims of about 1,100 bytes, which `index` makes unique. */
export function manyClaimsOf(index: number): Record<string, unknown> {
    const simple = Array.from({ length: 16 }, (_, place) => [
        `attribute_${place}`,
        `value ${place} of employee ${index}`,
    ]);
    return { ...claimsOf(index), ...Object.fromEntries(simple) };
}

export function newCredential(index: number, id = newId()): Credential {
    const signer = newSigner();
    const issuedAt = new Date().toISOString();
    const payload = credentialPayload({
        credential_id: `urn:uuid:${id}`,
        issuer: signer.did,
        subject: SUBJECT,
        credential_type: CREDENTIAL_TYPE,
        issued_at: issuedAt,
        expires_at: undefined,
        claims: JSON.stringify(claimsOf(index)),
    });
    return { id, issuer: signer.did, issued_at: issuedAt, token: signToken(payload, signer.seed, signer.public_key) };
}

/** Returns the tokens of `count` new credentials. */
export function newCredentials(index: number, count: number): string[] {
    return Array.from({ length: count }, (_, offset) => newCredential(index * count + offset).token);
}

export function newPresentation(index: number, credentials: number): string {
    const holder = newSigner();
    const payload = presentationPayload({
        presentation_id: `urn:uuid:${newId()}`,
        holder: holder.did,
        audience: AUDIENCE,
        created_at: new Date().toISOString(),
        nonce: `nonce-${index}`,
        domain: undefined,
        credentials: newCredentials(index, credentials),
    });
    return signToken(payload, holder.seed, holder.public_key);
}
