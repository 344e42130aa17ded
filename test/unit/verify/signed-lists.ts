import { deflateSync } from 'node:zlib';
import { encodeDidKey } from '../../../workers/crypto/did-key.ts';
import { generateKeyPair, type KeyPair, sign } from '../../../workers/crypto/ed25519.ts';
import { signToken } from '../../../workers/crypto/paseto.ts';

export interface Signer extends KeyPair {
    did: string;
}

export function newSigner(): Signer {
    const pair = generateKeyPair();
    return { ...pair, did: encodeDidKey(pair.public_key) };
}

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** `lst` of a status list: zlib in base64url. */
export const lstOf = (bytes: Uint8Array): string => deflateSync(bytes).toString('base64url');

export interface ListOptions {
    signer: Signer;
    uri: string;
    bytes?: Uint8Array;
    bits?: number;
    /** Other members of header and payload; undefined leaves one out. */
    header?: Record<string, unknown>;
    payload?: Record<string, unknown>;
}

/** A status list token that is valid until 2999. By default it has the 16 statuses of one bit of the draft, 4.1. */
export function listToken({ signer, uri, bytes = Uint8Array.of(0xb9, 0xa3), bits = 1, ...more }: ListOptions): string {
    const header = encoded({ alg: 'EdDSA', typ: 'statuslist+jwt', kid: '1', ...more.header });
    const times = { iat: 1_767_225_600, exp: 32_472_144_000, ttl: 60 };
    const payload = encoded({ sub: uri, ...times, status_list: { bits, lst: lstOf(bytes) }, ...more.payload });
    const signature = sign(Buffer.from(`${header}.${payload}`), signer.seed, signer.public_key);
    return `${header}.${payload}.${Buffer.from(signature).toString('base64url')}`;
}

/** The token of a credential with this `status`. */
export function credentialToken(signer: Signer, status?: unknown, more: Record<string, unknown> = {}): string {
    const payload = {
        typ: 'credential',
        jti: 'urn:uuid:01890a5d-ac96-774b-bcce-b302099a8057',
        iss: signer.did,
        sub: 'did:web:ada.example',
        credential_type: 'EmploymentCredential',
        iat: '2026-01-01T00:00:00.000Z',
        claims: { role: 'engineer' },
        status,
        ...more,
    };
    return signToken(JSON.stringify(payload), signer.seed, signer.public_key);
}

/** The token of a presentation for did:web:verifier.example. */
export function presentationToken(
    signer: Signer,
    credentials: string[],
    nonce?: string,
    more: Record<string, unknown> = {},
): string {
    const payload = {
        typ: 'presentation',
        jti: 'urn:uuid:01890a5d-ac96-774b-bcce-b302099a8058',
        iss: signer.did,
        aud: 'did:web:verifier.example',
        iat: '2026-01-01T00:00:00.000Z',
        nonce,
        credentials,
        ...more,
    };
    return signToken(JSON.stringify(payload), signer.seed, signer.public_key);
}
