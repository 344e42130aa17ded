import { timingSafeEqual } from 'node:crypto';
import { hashRawSync, hashSync } from '@node-rs/argon2';
import { AppError } from '../../platform/errors.ts';

/** The cost of an Argon2id hash: memory in kibibytes, and number of passes. Parallelism is always 1. */
export interface PasswordCost {
    memory_kib: number;
    passes: number;
}

/** OWASP's recommendation for Argon2id: 19 MiB, 2 passes. A hash takes 10 to 15 ms. */
export const DEFAULT_COST: PasswordCost = { memory_kib: 19_456, passes: 2 };

/** Length of the salts of derived keys, in bytes. */
export const SALT_BYTES = 16;

/** Maximum cost of a stored hash. Beyond it: `internal`, because the service has not written it. */
const MAX_COST: PasswordCost = { memory_kib: 262_144, passes: 10 };

/**
 * A PHC string with a salt of 8 to 48 bytes and a hash of 16 to 64 bytes. The reference implementation of Argon2 writes
 * the order m, t, p. The npm package argon2 writes m, p, t.
 */
const PHC =
    /^\$argon2id\$v=19\$m=(\d{1,7}),(?:t=(\d{1,3}),p=1|p=1,t=(\d{1,3}))\$([A-Za-z0-9+/]{11,64})\$([A-Za-z0-9+/]{22,86})$/;
/** Maximum length of a stored hash, in characters. Beyond it: `internal`. */
const MAX_PHC_LENGTH = 127;

/**
 * Returns `$argon2id$v=19$m=…,t=…,p=1$salt$hash` for the password's NFKC form, with a salt of 16 bytes and a hash of 32
 * bytes. Blocks the thread.
 */
export function hashPassword(password: string, cost: PasswordCost): string {
    return hashSync(normalised(password), libraryOptions(cost));
}

/**
 * True if the hash was made from the password. Blocks the thread. Throws AppError `internal` if the hash is malformed
 * or too expensive.
 */
export function verifyPassword(phc: string, password: string): boolean {
    const { salt, tag, ...cost } = read(phc);
    const made = hashRawSync(normalised(password), { ...libraryOptions(cost), salt, outputLen: tag.length });
    return timingSafeEqual(made, tag);
}

/**
 * True if a stored hash was made at a cost other than the current one. Throws AppError `internal` like verifyPassword.
 */
export function needsRehash(phc: string, cost: PasswordCost): boolean {
    const { memory_kib, passes } = read(phc);
    return memory_kib !== cost.memory_kib || passes !== cost.passes;
}

/**
 * Fills `key` (32 bytes) with Argon2id of the password's NFKC form. Blocks the thread. Throws AppError `internal` if
 * the salt or the cost cannot belong to a key of this service, or if the cost is too high.
 */
export function deriveKey(key: Uint8Array, password: string, salt: Uint8Array, cost: PasswordCost): void {
    if (!isUsable(cost) || salt.length !== SALT_BYTES) {
        throw new AppError('internal', 'Stored key parameters cannot be used.');
    }
    const text = normalised(password);
    const derived = hashRawSync(text, { ...libraryOptions(cost), salt, outputLen: key.length });
    key.set(derived);
    derived.fill(0);
    text.fill(0);
}

/** The library's defaults set the rest: Argon2id, version 19 (0x13), one lane, a random salt of 16 bytes. */
function libraryOptions({ memory_kib, passes }: PasswordCost): { memoryCost: number; timeCost: number } {
    return { memoryCost: memory_kib, timeCost: passes };
}

function read(phc: string): PasswordCost & { salt: Uint8Array; tag: Uint8Array } {
    const [, memory, passesBeforeLanes, passesAfterLanes, salt = '', tag = ''] =
        (phc.length <= MAX_PHC_LENGTH && PHC.exec(phc)) || [];
    const cost = { memory_kib: Number(memory), passes: Number(passesBeforeLanes ?? passesAfterLanes) };
    if (!isUsable(cost)) throw new AppError('internal', 'A stored password hash cannot be read.');
    return { ...cost, salt: Buffer.from(salt, 'base64'), tag: Buffer.from(tag, 'base64') };
}

/** True if the cost is within bounds. 8 KiB is the minimum that Argon2 is defined for. */
function isUsable({ memory_kib, passes }: PasswordCost): boolean {
    return memory_kib >= 8 && memory_kib <= MAX_COST.memory_kib && passes >= 1 && passes <= MAX_COST.passes;
}

/** Two systems may send the same password as different code points. NFKC makes them equal. */
function normalised(password: string): Buffer {
    return Buffer.from(password.normalize('NFKC'));
}
