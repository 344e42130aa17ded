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

/** Length of a salt, in bytes. Beyond it: `invalid`; `internal` for a stored one. */
const SALT = { least: 8, most: 48 } as const;
/** Length of a hash, in bytes. Beyond it: `invalid`; `internal` for a stored one. */
const TAG = { least: 16, most: 64 } as const;

/** A salt and a hash, in base64 without padding. */
const ENDING = String.raw`\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$`;
/** The reference implementation of Argon2 writes the order m, t, p. The npm package argon2 writes m, p, t. */
const ARGON2ID = new RegExp(
    String.raw`^\$argon2id\$v=19\$m=(\d{1,10}),(?:t=(\d{1,10}),p=(\d{1,8})|p=(\d{1,8}),t=(\d{1,10}))${ENDING}`,
);
const SCRYPT = new RegExp(String.raw`^\$scrypt\$ln=(\d{1,2}),r=(\d{1,10}),p=(\d{1,10})${ENDING}`);
const PBKDF2 = new RegExp(String.raw`^\$pbkdf2-sha256\$i=(\d{1,10})(?:,l=\d{1,3})?${ENDING}`);

const FORMS = '$argon2id$v=19$m=…,t=…,p=…$…, $scrypt$ln=…,r=…,p=…$… or $pbkdf2-sha256$i=…$…';

/** Reads a PHC string. Returns what is wrong, as the end of a sentence, if it is malformed or beyond the bounds. */
export function readPhc(phc: string): PasswordHash | { fault: string } {
    const hash = phc.length <= MAX_PHC_LENGTH ? (argon2id(phc) ?? scrypt(phc) ?? pbkdf2(phc)) : undefined;
    if (!hash) return { fault: `must be a PHC string: ${FORMS}.` };
    const bound = boundOf(hash);
    return bound === undefined ? hash : { fault: `must have ${bound}.` };
}

/** Like readPhc(), for a hash from outside, which must also protect its password. */
export function importedPhc(phc: string): PasswordHash | { fault: string } {
    const hash = readPhc(phc);
    if ('fault' in hash) return hash;
    if (!isExact(phc, hash.tag)) return { fault: EXACT };
    const isWeak = hash.form === 'argon2id' && hash.memory_kib < LEAST_IMPORTED_MEMORY_KIB;
    return isWeak ? { fault: `must have m of at least ${LEAST_IMPORTED_MEMORY_KIB}.` } : hash;
}

const EXACT =
    'must have numbers without leading zeros, a salt and a hash that are base64 without padding, and l, if it is there, as the length of the hash in bytes.';

/** False if the text is not as a system writes it: then it may be damaged, and no password would ever fit. */
function isExact(phc: string, tag: Uint8Array): boolean {
    const [, length = tag.length] = /,l=(\d+)/.exec(phc) ?? [];
    const isWhole = (text: string) => Buffer.from(text, 'base64').toString('base64').replaceAll('=', '') === text;
    return !/=0\d/.test(phc) && Number(length) === tag.length && phc.split('$').slice(-2).every(isWhole);
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

/** The bounds that a hash violates, in words. Undefined if it violates none. */
function boundOf(hash: PasswordHash): string | undefined {
    const { salt, tag } = hash;
    if (salt.length < SALT.least || salt.length > SALT.most || tag.length < TAG.least || tag.length > TAG.most)
        return `a salt of ${SALT.least} to ${SALT.most} bytes and a hash of ${TAG.least} to ${TAG.most} bytes`;
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
