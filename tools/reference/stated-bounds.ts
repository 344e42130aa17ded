import { globSync, readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';

/** A number in the code that bounds what a caller can use up. */
export interface StatedBound {
    file: string;
    name: string;
    /** The text of its doc comment. */
    comment: string;
    /** Its value, or the values of its members, with units. */
    value: string;
}

/** Constants of a module with their doc comments: the comment, the name and the value. */
const CONSTANT =
    /^(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n)?(?:export )?const ([A-Z][A-Z0-9_]*)(?:: [^=\n]+)? = ([^;]+);/gm;
/** Numbers, operators and names of other constants. */
const ARITHMETIC = /^(?!0x)[\w\s<*/+.()-]*\d[\w\s<*/+.()-]*$/;
/** Names of numbers that bound nothing: lengths in a format, units, intervals, pauses, thresholds of a rule, minimum values. */
const NO_BOUND = new RegExp(
    `^(${[
        '(SIGNATURE|(DERIVED_|SEALING_|DID_)?KEY|SALT|HASH|UUID|EXPIRY|NONCE|HEAD|TAG)_BYTES|VERSION',
        'RANDOM_LENGTH|CHECKSUM_LENGTH|MASK_EDGE|SMALL_CHUNK_BYTES|MIB|HOUR_MS|DAY_MS|WEEK_DAYS|WINDOW_SECONDS',
        '\\w*(EVERY|SWEEP|RETRY|REFRESH|WATCH|INTERVAL|SAMPLE|POLL|REFETCH|PAUSE|LINGER|LEAVE_TAKING|RENEW_AFTER)_MS',
        'HOP_MS|LEAST_MS|BUSY|BURST_MS|CALM_MS|SAME_SIGNAL_MS|NOTABLE_MS|REUSE_GRACE_MS|MAX_CLOCK_SKEW_S|LIST_LEVELS',
        'MIN_LENGTH|MIN_SEALING_LENGTH|DEFAULT_COST|FIRST_LOOK|SWEPT_ROWS|SMALL_BODY_BYTES|TRUSTED_ANSWERS|OLDEST_DAY|LOOK_MS',
    ].join('|')})$`,
);

/** Every bound in the sources, by file. gateway/openapi/ only describes the interface. */
export function statedBounds(): StatedBound[] {
    return globSync('{main.ts,proto/{limits,tiers}.ts,{gateway,platform,services,tokens,workers}/**/*.ts}')
        .filter((file) => !file.startsWith('gateway/openapi/'))
        .sort()
        .flatMap((file) => boundsOf(file, readFileSync(file, 'utf8')));
}

function boundsOf(file: string, source: string): StatedBound[] {
    const known: Record<string, number> = {};
    const found = Array.from(source.matchAll(CONSTANT), ([, comment = '', name = '', written = '']) => {
        const code = written
            .replaceAll(/\/\*\*?[\s\S]*?\*\/|\/\/ .*$/gm, '')
            .replace(/\s+as const\b.*$/s, '')
            .trim();
        const number = numberOf(code, known);
        if (number !== undefined) known[name] = number;
        const value = number === undefined ? membersOf(name, code, known) : numberText(name, number);
        return {
            file,
            name,
            comment: comment
                .replaceAll(/\n \* ?/g, ' ')
                .replaceAll(/\s+/g, ' ')
                .trim(),
            value,
        };
    });
    return found.filter(({ name, value }) => value !== '' && value !== '0' && !NO_BOUND.test(name));
}

/** The numeric members of a flat object, each with its name. */
function membersOf(constant: string, code: string, known: Record<string, number>): string {
    if (!code.startsWith('{') || code.includes('{', 1)) return '';
    const members = Array.from(code.matchAll(/([\w.]+)'?: ([^,}\n]+)/g), ([, member = '', part = '']) => {
        const number = numberOf(part.trim(), known);
        return number === undefined || number === 0
            ? []
            : [`\`${member}\` ${numberText(`${constant}.${member}`, number)}`];
    });
    return members.flat().join(', ');
}

/** The value of an expression of numbers and known constants. Undefined for any other text. */
function numberOf(code: string, known: Record<string, number>): number | undefined {
    if (!ARITHMETIC.test(code)) return undefined;
    try {
        const value: unknown = runInNewContext(code, { ...known });
        return typeof value === 'number' ? value : undefined;
    } catch {
        return undefined; // it contains a name that is no constant of its file
    }
}

function numberText(name: string, value: number): string {
    if (/_MS$|_ms$|Timeout$|Interval$|_wait$|\.remembered$|\.day$/.test(name)) return inUnits(value, TIMES);
    if (/_(SECONDS|S)$/.test(name)) return inUnits(value * 1_000, TIMES);
    if (/BYTES|HeaderSize$/.test(name)) return inUnits(value, SIZES);
    return value.toLocaleString('en-US');
}

const TIMES = { d: 86_400_000, h: 3_600_000, min: 60_000, s: 1_000, ms: 1 };
const SIZES = { MiB: 1 << 20, KiB: 1 << 10, bytes: 1 };

/** `24 h`, `1 MiB`: in the largest unit that divides the value evenly. */
function inUnits(value: number, units: Record<string, number>): string {
    const [unit = '', size = 1] = Object.entries(units).find(([, size]) => value >= size && value % size === 0) ?? [];
    return `${(value / size).toLocaleString('en-US')} ${unit}`;
}
