import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, it } from 'node:test';
import { loadConfig, settingNames } from '../../platform/process/config.ts';
import { codeIn, countText, rowsOf, sizeText } from './page-tables.ts';
import { holders, isInSource, queueFiles, redisPrefixes, statedBounds, tables } from './stated-bounds.ts';

/** Numbers of the code that bound nothing that a caller can use up, and why. */
const NO_BOUNDS: ReadonlyArray<{ at: RegExp; why: string }> = [
    { at: /^workers\/crypto\/(base58|seal)\.ts:/, why: 'lengths and versions of a format' },
    {
        at: /:(SIGNATURE|KEY|SALT|DERIVED_KEY|HASH|UUID|EXPIRY)_BYTES$/,
        why: 'lengths of keys, salts, hashes, ids, times',
    },
    { at: /^platform\/access\/api-key\.ts:/, why: 'the form of an API key' },
    {
        at: /:\w*(EVERY|SWEEP|RETRY|REFRESH|WATCH|INTERVAL|SAMPLE|POLL|REFETCH)_MS$|jobs\.ts:LOOK_MS$|:LIMITS\.connectionsCheckingInterval$/,
        why: 'how often something is done',
    },
    { at: /:(PAUSE_MS|MAX_PAUSE_MS|RENEW_AFTER_MS|LEAVE_TAKING_MS|LINGER_MS)$/, why: 'when something is done next' },
    { at: /:(HOUR_MS|DAY_MS|WINDOW_SECONDS|WEEK_DAYS|MIB)$/, why: 'units' },
    { at: /context\.ts:(HOP_MS|LEAST_MS)$|:RESERVE_MS$/, why: 'taken off a deadline that is listed' },
    { at: /overload\.ts:(BUSY|BURST_MS|CALM_MS)$/, why: 'when the bounds of overload.ts hold; they are listed' },
    { at: /:(MIN_LENGTH|DEFAULT_COST\.\w+|FIRST_LOOK)$/, why: 'least values' },
    { at: /^platform\/process\/clock\.ts:READINGS$/, why: 'how many readings are compared' },
    {
        at: /:(SWEPT_ROWS|SAME_SIGNAL_MS|MAX_CLOCK_SKEW_S|REUSE_GRACE_MS|SMALL_BODY_BYTES|NOTABLE_MS|OLDEST_DAY)$/,
        why: 'thresholds of a rule',
    },
];

/** Maps and sets that need no bound, and why. */
const NOT_KEPT: ReadonlyArray<{ at: RegExp; why: string }> = [
    { at: /store\.ts:(found|ids|owners|by_account|places|far|refused)$/, why: 'made of the rows of one statement' },
    {
        at: /^(?!platform\/(rpc\/connections|rpc\/bounds\/unknown-connections|access\/guard-memory)\.ts|services\/did\/store\.ts).*:(by_address|slices|targets|unknown|owned|taken|newest|known)$/,
        why: 'made within one call or sweep',
    },
    { at: /^services\/credentials\/foreign-view\.ts:rows$/, why: 'the rows of one page' },
    {
        at: /:(RAW_MEMBERS|SMALL_ORDER|PARSERS|methods|allowed|listed|table|checks)$/,
        why: 'made once, of code or settings',
    },
    { at: /cache\.ts:(young|old)$/, why: 'the two halves of each cache that is listed' },
];

const ROWS = rowsOf('docs/bounds.md').map(([what = '', bound = '', beyond = '', where = '']) => ({
    what,
    bound,
    beyond,
    where: codeIn(where),
}));
const TEXT = ROWS.map(({ what, bound, beyond }) => `${what} ${bound} ${beyond}`).join('\n');
const rowOf = (at: string) => ROWS.find(({ where }) => where.includes(at));
const BOUNDS = statedBounds();
const isExcepted = (at: string, list: ReadonlyArray<{ at: RegExp }>): boolean => list.some((one) => one.at.test(at));

/** Whether a cell states a value: the text, and no longer number that ends or begins with it. */
function states(cell: string, text: string): boolean {
    const literal = text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    return new RegExp(`(?<![\\d,.])${literal}(?![\\d]|,\\d)`).test(cell);
}

/** A setting's default as the table writes it; a quota has one for each tier. */
function defaultTexts(name: string, value: unknown): string[] {
    const numbers: unknown[] = typeof value === 'object' && value !== null ? Object.values(value) : [value];
    return numbers.map((number) => (name.endsWith('_BYTES') ? sizeText : countText)(Number(number)));
}

describe('docs/bounds.md', () => {
    it('states every bound of the code, with its value', () => {
        const bounds = BOUNDS.filter(({ at }) => !isExcepted(at, NO_BOUNDS));
        assert.ok(bounds.length > 100);
        const faults = bounds.flatMap(({ at, text }) => {
            const row = rowOf(at);
            if (!row) return [`add a row with the bound "${text}" whose last column names \`${at}\``];
            return states(row.bound, text) ? [] : [`the row of \`${at}\` must state the bound "${text}": ${row.bound}`];
        });
        assert.deepEqual(faults, []);
    });

    it('has a row for every map, set, cache and queue that is kept', () => {
        const kept = holders().filter((at) => !isExcepted(at, NOT_KEPT));
        const named = ROWS.flatMap(({ where }) => where);
        const missing = [
            ...kept.filter((at) => !named.includes(at)),
            ...queueFiles().filter((file) => !named.some((at) => at.split(':')[0] === file)),
        ];
        assert.deepEqual(missing, [], 'add rows whose last column names these');
    });

    it('has a row for every kind of Redis key and of database row', () => {
        const prefixes = redisPrefixes().filter((prefix) => !new RegExp(`\`\\{?${prefix}:`).test(TEXT));
        assert.deepEqual(prefixes, [], 'add rows for Redis keys with these prefixes');
        const unnamed = tables().filter((table) => !TEXT.includes(`\`${table}\``));
        assert.deepEqual(unnamed, [], 'add rows for these tables');
    });

    it('has the settings that are bounds, with their defaults', () => {
        const defaults: Record<string, unknown> = loadConfig({});
        const missing = settingNames
            .filter((name) => /_(LIMIT|MAX|POOL|THREADS)(_|$)|^(MAX|QUOTA)_/.test(name))
            .filter((name) => {
                const row = ROWS.find(({ bound }) => codeIn(bound).includes(name));
                const is_fixed = !name.endsWith('_THREADS'); // those follow the cores of the machine
                return (
                    !row || (is_fixed && !defaultTexts(name, defaults[name]).every((text) => states(row.bound, text)))
                );
            });
        assert.deepEqual(missing, [], 'state these settings and their defaults in the column of the bound');
    });

    it('names nothing that is not there', () => {
        const gone = ROWS.flatMap(({ where }) => where).filter((at) => {
            const [file = '', name] = at.split(':');
            return name === undefined ? !existsSync(file) : !isInSource(file, name);
        });
        assert.deepEqual(gone, []);
    });

    it('says of every row what happens beyond its bound', () => {
        const silent = ROWS.slice(1).filter(({ bound, beyond }) => bound !== '' && beyond === '');
        assert.deepEqual(silent, []);
    });

    it('is compared with exceptions that are all needed', () => {
        const unused = [
            ...NO_BOUNDS.filter(({ at }) => !BOUNDS.some((bound) => at.test(bound.at))),
            ...NOT_KEPT.filter(({ at }) => !holders().some((holder) => at.test(holder))),
        ];
        assert.deepEqual(unused, []);
    });
});
