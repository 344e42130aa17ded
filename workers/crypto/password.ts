import { pbkdf2Sync, scryptSync, timingSafeEqual } from 'node:crypto';
import { hashRawSync, hashSync } from '@node-rs/argon2';
import { AppError } from '../../platform/errors.ts';
import { MAX_ARGON2, MAX_SCRYPT_WORK, type PasswordHash, readPhc } from './phc.ts';

/** The cost of an Argon2id hash: memory in kibibytes, and number of passes. Parallelism is always 1. */
export interface PasswordCost {
    memory_kib: number;
    passes: number;
}

/** OWASP's recommendation for Argon2id: 19 MiB, 2 passes. A hash takes 10 to 15 ms. */
export const DEFAULT_COST: PasswordCost = { memory_kib: 19_456, passes: 2 };

/** Length of the salts of derived keys, in bytes. */
export const SALT_BYTES = 16;

/** What scrypt may take, in bytes: 128 for each unit of the work that readPhc() accepts, and some for its buffers. */
const SCRYPT_BYTES = 2 * 128 * MAX_SCRYPT_WORK;

/**
 * Returns `$argon2id$v=19$m=…,t=…,p=1$salt$hash` for the password's NFKC form, with a salt of 16 bytes and a hash of 32
 * bytes. Blocks the thread.
 */
export function hashPassword(password: string, cost: PasswordCost): string {
    return hashSync(normalised(password), libraryOptions(cost));
}

/**
 * True if the hash was made from the password, by this service or another system. Blocks the thread. Throws AppError
 * `internal` if the hash is malformed or too expensive.
 */
export function verifyPassword(phc: string, password: string): boolean {
    const hash = stored(phc);
    const ours = normalised(password);
    if (isMadeFrom(hash, ours)) return true;
    // Other systems hash the text as it was typed.
    const typed = Buffer.from(password);
    return !typed.equals(ours) && isMadeFrom(hash, typed);
}

/**
 * True if a stored hash is not what hashPassword() makes at the current cost. Throws AppError `internal` like
 * verifyPassword.
 */
export function needsRehash(phc: string, cost: PasswordCost): boolean {
    const hash = stored(phc);
    if (hash.form !== 'argon2id' || hash.lanes !== 1) return true;
    return hash.memory_kib !== cost.memory_kib || hash.passes !== cost.passes;
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

function stored(phc: string): PasswordHash {
    const hash = readPhc(phc);
    if ('fault' in hash) throw new AppError('internal', 'A stored password hash cannot be read.');
    return hash;
}

function isMadeFrom(hash: PasswordHash, password: Buffer): boolean {
    return timingSafeEqual(remade(hash, password), hash.tag);
}

/** Hashes the password as the hash was made. */
function remade(hash: PasswordHash, password: Buffer): Buffer {
    const { salt, tag } = hash;
    switch (hash.form) {
        case 'argon2id': {
            const options = { ...libraryOptions(hash), parallelism: hash.lanes, salt, outputLen: tag.length };
            return hashRawSync(password, options);
        }
        case 'scrypt': {
            const cost = { N: 2 ** hash.log_n, r: hash.block_size, p: hash.lanes };
            return scryptSync(password, salt, tag.length, { ...cost, maxmem: SCRYPT_BYTES });
        }
        case 'pbkdf2-sha256':
            return pbkdf2Sync(password, salt, hash.iterations, tag.length, 'sha256');
    }
}

/** True if the cost is within bounds. 8 KiB is the minimum that Argon2 is defined for. */
function isUsable({ memory_kib, passes }: PasswordCost): boolean {
    return memory_kib >= 8 && memory_kib <= MAX_ARGON2.memory_kib && passes >= 1 && passes <= MAX_ARGON2.passes;
}

/** Two systems may send the same password as different code points. NFKC makes them equal. */
function normalised(password: string): Buffer {
    return Buffer.from(password.normalize('NFKC'));
}
