import { createHmac, createSecretKey, hash, hkdfSync } from 'node:crypto';
import { z } from 'zod';
import { MIN_SEALING_LENGTH, readIdempotencyKey } from '../../platform/access/idempotency-key.ts';
import type { CallContext } from '../../platform/context.ts';
import { AppError, invalid } from '../../platform/errors.ts';
import { NIL_ID } from '../../platform/ids.ts';
import { sealAs, unsealAs } from '../../workers/crypto/seal.ts';

/**
 * What a call claims with its Idempotency-Key. Everything in it is derived from the key and the pepper, so a copy of
 * the database does not help to guess a key, a request or a sealed answer.
 */
export interface Claim {
    /** Names the operation in metrics: `credentials.issue`. */
    operation: string;
    /** Identifies the account, the operation and the key. 16 bytes. */
    scope_hash: Buffer;
    /** The account that the call acts for, so that its claims can be erased with it; null if it acts for none. */
    claimant: string | null;
    /** Differs for another request. 16 bytes. */
    fingerprint: Buffer;
    /** Seals an answer that no other row holds. 32 bytes. It is never stored. */
    sealingKey: Buffer;
    /** A claim that was made before this time has expired. ISO 8601, UTC. */
    stale_before: string;
}

/** A claim as it is stored. */
export const heldClaim = z.strictObject({
    scope_hash: z.instanceof(Buffer),
    fingerprint: z.instanceof(Buffer),
    /** UUID of what the call has created. */
    id: z.string(),
    /** ISO 8601, UTC, with milliseconds. */
    made_at: z.string(),
    /** The answer, sealed; null if it can be built again without it. */
    sealed: z.instanceof(Buffer).nullable(),
});
export type HeldClaim = z.infer<typeof heldClaim>;

interface Codec<Message> {
    encode(message: Message): { finish(): Uint8Array };
}

/** A message with its codec. */
export interface Encodable<Message> {
    codec: Codec<Message>;
    message: Message;
}

const HASH_BYTES = 16;
const SEALING_KEY_BYTES = 32;

/** Returns the key that a call was made with; undefined if it has none. Throws AppError `invalid`. */
export function keyOf({ idempotency_key: sent }: CallContext): string | undefined {
    return sent === undefined ? undefined : readIdempotencyKey(sent);
}

/** Throws AppError `invalid` if the key is too short to seal a secret with. */
export function requireSealingKey(key: string): void {
    if (key.length >= MIN_SEALING_LENGTH) return;
    throw invalid(
        `Idempotency-Key must have at least ${MIN_SEALING_LENGTH} characters here, because the answer contains a secret.`,
    );
}

/** Returns the SHA-256 hash of an encoded request. */
export function digestOf<Message>({ codec, message }: Encodable<Message>): Buffer {
    return hash('sha256', codec.encode(message).finish(), 'buffer');
}

/**
 * Derives a claim by HKDF-SHA-256 (RFC 5869): the key is the secret, the pepper the salt, the account and the operation
 * the context. The derived keys are independent of each other, so the stored hash reveals nothing about the others.
 */
export function deriveClaim(
    { operation, key, digest }: { operation: string; key: string; digest: Uint8Array },
    { pepper, stale_before }: { pepper: string; stale_before: string },
    { user_id }: CallContext,
): Claim {
    const derived = Buffer.from(
        hkdfSync('sha256', key, pepper, `${user_id ?? NIL_ID} ${operation}`, 2 * HASH_BYTES + SEALING_KEY_BYTES),
    );
    const fingerprintKey = createSecretKey(derived.subarray(HASH_BYTES, 2 * HASH_BYTES)); // faster than bytes, see seal.ts
    return {
        operation,
        scope_hash: derived.subarray(0, HASH_BYTES),
        claimant: user_id ?? null,
        fingerprint: createHmac('sha256', fingerprintKey).update(digest).digest().subarray(0, HASH_BYTES),
        sealingKey: derived.subarray(2 * HASH_BYTES),
        stale_before,
    };
}

/** Seals an answer so that only a call with the same key, account and operation can open it. */
export function sealAnswer<Message>(claim: Claim, { codec, message }: Encodable<Message>): Buffer {
    const plain = codec.encode(message).finish();
    const sealed = sealAs(plain, claim.sealingKey, claim.scope_hash);
    plain.fill(0);
    return sealed;
}

/** Returns a function that opens an answer of sealAnswer(). It throws AppError `internal` if the record was changed. */
export function openAnswer<Message>(codec: { decode(bytes: Uint8Array): Message }) {
    return ({ sealed }: HeldClaim, claim: Claim): Message => {
        const plain = sealed === null ? undefined : unsealAs(sealed, claim.sealingKey, claim.scope_hash);
        if (!plain) throw new AppError('internal', 'The answer to this Idempotency-Key cannot be opened.');
        return codec.decode(plain);
    };
}
