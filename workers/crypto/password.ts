import sodium from 'sodium-native';
import { AppError } from '../../platform/errors.ts';

/** What one Argon2id hash costs: kibibytes of memory and passes over them. Parallelism is always 1. */
export interface PasswordCost {
    memory_kib: number;
    passes: number;
}

/** OWASP's recommendation for Argon2id: 19 MiB, 2 passes; about 27 ms. */
export const DEFAULT_COST: PasswordCost = { memory_kib: 19_456, passes: 2 };

/** A stored hash may not make a thread work longer, or take more memory, than this. */
const MAX_COST: PasswordCost = { memory_kib: 262_144, passes: 10 };

/** The PHC string format, as the reference implementation of Argon2 writes it; salt of 8 to 48 bytes, hash of 16 to 64. */
const PHC = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=1\$[A-Za-z0-9+/]{11,64}\$[A-Za-z0-9+/]{22,86}$/;

/** `$argon2id$v=19$m=…,t=…,p=1$salt$hash` (16 and 32 bytes) of the password's NFKC form. Blocks the thread. */
export function hashPassword(password: string, cost: PasswordCost): string {
    const out = Buffer.alloc(sodium.crypto_pwhash_STRBYTES);
    sodium.crypto_pwhash_str(out, normalised(password), cost.passes, cost.memory_kib * 1024);
    return out.toString('ascii', 0, out.indexOf(0));
}

/** Whether the password made the hash. Blocks the thread. AppError `internal` for a hash that is malformed or too costly. */
export function verifyPassword(phc: string, password: string): boolean {
    costOf(phc);
    const stored = Buffer.alloc(sodium.crypto_pwhash_STRBYTES); // libsodium reads up to a NUL
    stored.write(phc, 'ascii');
    return sodium.crypto_pwhash_str_verify(stored, normalised(password));
}

/** Whether a stored hash was made at another cost than the one in force. */
export function needsRehash(phc: string, cost: PasswordCost): boolean {
    const { memory_kib, passes } = costOf(phc);
    return memory_kib !== cost.memory_kib || passes !== cost.passes;
}

function costOf(phc: string): PasswordCost {
    const match = phc.length < sodium.crypto_pwhash_STRBYTES ? PHC.exec(phc) : null;
    const cost = { memory_kib: Number(match?.[1]), passes: Number(match?.[2]) };
    if (cost.memory_kib <= MAX_COST.memory_kib && cost.passes <= MAX_COST.passes) return cost;
    throw new AppError('internal', 'A stored password hash cannot be read.');
}

/** One password typed on two systems may differ in its code points; NFKC makes them equal. */
function normalised(password: string): Buffer {
    return Buffer.from(password.normalize('NFKC'));
}
