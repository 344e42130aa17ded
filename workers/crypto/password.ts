import sodium from 'sodium-native';
import { AppError } from '../../platform/errors.ts';

/** What one Argon2id hash costs: kibibytes of memory and passes over them. Parallelism is always 1. */
export interface PasswordCost {
    memory_kib: number;
    passes: number;
}

/** OWASP's recommendation for Argon2id: 19 MiB, 2 passes; about 27 ms. */
export const DEFAULT_COST: PasswordCost = { memory_kib: 19_456, passes: 2 };

/** sodium-native takes any view of bytes; its published types ask for Buffer. */
const { crypto_pwhash: fillKey } = sodium as {
    crypto_pwhash(
        key: Uint8Array,
        password: Uint8Array,
        salt: Uint8Array,
        passes: number,
        memory: number,
        algorithm: number,
    ): void;
};

/** libsodium's Argon2id takes salts of this length only. */
export const SALT_BYTES = 16;

/** A stored hash may not make a thread work longer, or take more memory, than this. */
const MAX_COST: PasswordCost = { memory_kib: 262_144, passes: 10 };

/**
 * A PHC string; salt of 8 to 48 bytes, hash of 16 to 64. libsodium reads the order m, t, p only, which the reference
 * implementation of Argon2 writes; the npm package argon2 writes m, p, t.
 */
const PHC =
    /^\$argon2id\$v=19\$m=(\d{1,7}),(?:t=(\d{1,3}),p=1|p=1,t=(\d{1,3}))(\$[A-Za-z0-9+/]{11,64}\$[A-Za-z0-9+/]{22,86})$/;

/** `$argon2id$v=19$m=…,t=…,p=1$salt$hash` (16 and 32 bytes) of the password's NFKC form. Blocks the thread. */
export function hashPassword(password: string, cost: PasswordCost): string {
    const out = Buffer.alloc(sodium.crypto_pwhash_STRBYTES);
    sodium.crypto_pwhash_str(out, normalised(password), cost.passes, cost.memory_kib * 1024);
    return out.toString('ascii', 0, out.indexOf(0));
}

/** Whether the password made the hash. Blocks the thread. AppError `internal` for a hash that is malformed or too costly. */
export function verifyPassword(phc: string, password: string): boolean {
    const { memory_kib, passes, salt_and_hash } = read(phc);
    const stored = Buffer.alloc(sodium.crypto_pwhash_STRBYTES); // libsodium reads up to a NUL
    stored.write(`$argon2id$v=19$m=${memory_kib},t=${passes},p=1${salt_and_hash}`, 'ascii');
    return sodium.crypto_pwhash_str_verify(stored, normalised(password));
}

/** Whether a stored hash was made at another cost than the one in force. AppError `internal` as for verifyPassword. */
export function needsRehash(phc: string, cost: PasswordCost): boolean {
    const { memory_kib, passes } = read(phc);
    return memory_kib !== cost.memory_kib || passes !== cost.passes;
}

/**
 * Fills `key` (32 bytes) with Argon2id of the password's NFKC form. Blocks the thread. AppError `internal` for parameters that
 * libsodium cannot use, or that are too costly.
 */
export function deriveKey(
    key: Uint8Array,
    password: string,
    salt: Uint8Array,
    { memory_kib, passes }: PasswordCost,
): void {
    const usable = memory_kib >= 8 && memory_kib <= MAX_COST.memory_kib && passes >= 1 && passes <= MAX_COST.passes;
    if (!usable || salt.length !== SALT_BYTES) throw new AppError('internal', 'Stored key parameters cannot be used.');
    const text = normalised(password);
    fillKey(key, text, salt, passes, memory_kib * 1024, sodium.crypto_pwhash_ALG_ARGON2ID13);
    text.fill(0);
}

function read(phc: string): PasswordCost & { salt_and_hash: string } {
    const [, memory, passes_before_lanes, passes_after_lanes, salt_and_hash = ''] =
        (phc.length < sodium.crypto_pwhash_STRBYTES && PHC.exec(phc)) || [];
    const memory_kib = Number(memory);
    const passes = Number(passes_before_lanes ?? passes_after_lanes);
    if (memory_kib <= MAX_COST.memory_kib && passes <= MAX_COST.passes) return { memory_kib, passes, salt_and_hash };
    throw new AppError('internal', 'A stored password hash cannot be read.');
}

/** One password typed on two systems may differ in its code points; NFKC makes them equal. */
function normalised(password: string): Buffer {
    return Buffer.from(password.normalize('NFKC'));
}
