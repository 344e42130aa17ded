/**
 * The password hashes that the service can verify, as PHC strings: its own Argon2id, and what other systems have made,
 * from which accounts are imported. Each has bounds, because whoever stores a hash decides how long a thread works on
 * each guess.
 */

/** What a hash was made with. */
export type PasswordHash = { salt: Uint8Array; tag: Uint8Array } & (
    | { form: 'argon2id'; memory_kib: number; passes: number; lanes: number }
    | { form: 'scrypt'; log_n: number; block_size: number; lanes: number }
    | { form: 'pbkdf2-sha256'; iterations: number }
);

/** Maximum length of a hash, in characters. Beyond it: `invalid`; `internal` for a stored one. */
const MAX_PHC_LENGTH = 255;
/** Maximum cost of an Argon2id hash. Beyond it: `invalid`; `internal` for a stored one. */
export const MAX_ARGON2 = { memory_kib: 262_144, passes: 10, lanes: 16 } as const;
/**
 * Maximum of N × r × p of a scrypt hash. If p is 1, it takes two to three seconds (ln=20 and r=2 on two virtual cores in
 * November 2026) and 256 MiB. Beyond it: `invalid`; `internal` for a stored one.
 */
export const MAX_SCRYPT_WORK = 2 ** 21;
/** Maximum number of iterations of a PBKDF2 hash, about half a second. Beyond it: `invalid`; `internal` if stored. */
const MAX_ITERATIONS = 2_000_000;
/** Minimum number of iterations of a PBKDF2 hash, and of log2 N of scrypt. Less protects no password. */
const LEAST = { iterations: 1_000, log_n: 10 } as const;

/**
 * Minimum memory of an imported Argon2id hash, in kibibytes: the least that a common library has made by default
 * (argon2-cffi until 2018, so also Django until 3.1). The hashes of the service itself have the cost of its settings,
 * which only production bounds from below. Below it: `invalid`.
 */
const LEAST_IMPORTED_MEMORY_KIB = 512;

/** A salt of 8 to 48 bytes and a hash of 16 to 64 bytes, in base64 without padding. */
const ENDING = String.raw`\$([A-Za-z0-9+/]{11,64})\$([A-Za-z0-9+/]{22,86})$`;
/** The reference implementation of Argon2 writes the order m, t, p. The npm package argon2 writes m, p, t. */
const ARGON2ID = new RegExp(
    String.raw`^\$argon2id\$v=19\$m=(\d{1,7}),(?:t=(\d{1,3}),p=(\d{1,2})|p=(\d{1,2}),t=(\d{1,3}))${ENDING}`,
);
const SCRYPT = new RegExp(String.raw`^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})${ENDING}`);
const PBKDF2 = new RegExp(String.raw`^\$pbkdf2-sha256\$i=(\d{1,7})(?:,l=\d{1,2})?${ENDING}`);

const FORMS = '$argon2id$v=19$m=…,t=…,p=…$…, $scrypt$ln=…,r=…,p=…$… or $pbkdf2-sha256$i=…$…';

/** Reads a PHC string. Returns what is wrong, as the end of a sentence, if it is malformed or beyond the bounds. */
export function readPhc(phc: string): PasswordHash | { fault: string } {
    const hash = phc.length <= MAX_PHC_LENGTH ? (argon2id(phc) ?? scrypt(phc) ?? pbkdf2(phc)) : undefined;
    if (!hash || hash.salt.length < 8 || hash.tag.length < 16) return { fault: `must be a PHC string: ${FORMS}.` };
    const bound = boundOf(hash);
    return bound === undefined ? hash : { fault: `must have ${bound}.` };
}

/** Like readPhc(), for a hash from outside, which must also protect its password. */
export function importedPhc(phc: string): PasswordHash | { fault: string } {
    const hash = readPhc(phc);
    const isWeak = 'form' in hash && hash.form === 'argon2id' && hash.memory_kib < LEAST_IMPORTED_MEMORY_KIB;
    return isWeak ? { fault: `must have m of at least ${LEAST_IMPORTED_MEMORY_KIB}.` } : hash;
}

function argon2id(phc: string): PasswordHash | undefined {
    const [, memory, t, p, pFirst, tLast, ...ending] = ARGON2ID.exec(phc) ?? [];
    if (memory === undefined) return undefined;
    const cost = { memory_kib: Number(memory), passes: Number(t ?? tLast), lanes: Number(p ?? pFirst) };
    return { form: 'argon2id', ...cost, ...bytesOf(ending) };
}

function scrypt(phc: string): PasswordHash | undefined {
    const [, logN, blockSize, lanes, ...ending] = SCRYPT.exec(phc) ?? [];
    if (logN === undefined) return undefined;
    const cost = { log_n: Number(logN), block_size: Number(blockSize), lanes: Number(lanes) };
    return { form: 'scrypt', ...cost, ...bytesOf(ending) };
}

function pbkdf2(phc: string): PasswordHash | undefined {
    const [, iterations, ...ending] = PBKDF2.exec(phc) ?? [];
    if (iterations === undefined) return undefined;
    return { form: 'pbkdf2-sha256', iterations: Number(iterations), ...bytesOf(ending) };
}

function bytesOf([salt = '', tag = '']: Array<string | undefined>): Pick<PasswordHash, 'salt' | 'tag'> {
    return { salt: Buffer.from(salt, 'base64'), tag: Buffer.from(tag, 'base64') };
}

/** The bounds that the cost of a hash violates, in words. Undefined if it violates none. */
function boundOf(hash: PasswordHash): string | undefined {
    switch (hash.form) {
        case 'argon2id': {
            const { memory_kib, passes, lanes } = hash;
            const { memory_kib: memory, passes: most, lanes: mostLanes } = MAX_ARGON2;
            // 8 KiB for each lane is the minimum that Argon2 is defined for.
            const fits = lanes >= 1 && lanes <= mostLanes && memory_kib >= 8 * lanes && memory_kib <= memory;
            if (fits && passes >= 1 && passes <= most) return undefined;
            return `m from 8 × p to ${memory}, t from 1 to ${most} and p from 1 to ${mostLanes}`;
        }
        case 'scrypt': {
            const { log_n, block_size, lanes } = hash;
            const work = 2 ** log_n * block_size * lanes;
            // RFC 7914, 6: N must be less than 2^(128 × r / 8).
            const isDefined = log_n < 16 * block_size && lanes >= 1;
            if (log_n >= LEAST.log_n && isDefined && work <= MAX_SCRYPT_WORK) return undefined;
            return `ln of at least ${LEAST.log_n} and less than 16 × r, and 2^ln × r × p of at most ${MAX_SCRYPT_WORK}`;
        }
        case 'pbkdf2-sha256': {
            const fits = hash.iterations >= LEAST.iterations && hash.iterations <= MAX_ITERATIONS;
            return fits ? undefined : `i from ${LEAST.iterations} to ${MAX_ITERATIONS}`;
        }
    }
}
