import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, it } from 'node:test';
import { loadConfig, settingNames } from '../../platform/process/config.ts';
import { codeIn, countText, rowsOf, sizeText } from './page-tables.ts';
import { holders, isInSource, queueFiles, redisPrefixes, statedBounds, tables } from './stated-bounds.ts';

/** Numbers in the code that do not bound anything a caller can use up, and why. */
const NO_BOUNDS: ReadonlyArray<{ at: RegExp; why: string }> = [
    { at: /^(workers\/crypto\/seal|tokens\/did-key)\.ts:(?!MAX_)/, why: 'lengths and versions of a format' },
    {
        at: /:(SIGNATURE|KEY|SALT|DERIVED_KEY|HASH|UUID|EXPIRY)_BYTES$/,
        why: 'lengths of keys, salts, hashes, ids, times',
    },
    { at: /^platform\/access\/api-key\.ts:/, why: 'the form of an API key' },
    {
        at: /:\w*(EVERY|SWEEP|RETRY|REFRESH|WATCH|INTERVAL|SAMPLE|POLL|REFETCH)_MS$|jobs\.ts:LOOK_MS$|:LIMITS\.connectionsCheckingInterval$/,
        why: 'how often something is done',
    },
    { at: /:(PAUSE_MS|MAX_PAUSE_MS|RENEW_AFTER_MS|LEAVE_TAKING_MS|LINGER_MS)$/, why: 'delays before a next step' },
    { at: /:(HOUR_MS|DAY_MS|WINDOW_SECONDS|WEEK_DAYS|MIB)$/, why: 'units' },
    { at: /context\.ts:(HOP_MS|LEAST_MS)$|:RESERVE_MS$/, why: 'subtracted from a deadline that has a row' },
    {
        at: /overload\.ts:(BUSY|BURST_MS|CALM_MS)$/,
        why: 'when the bounds of overload.ts apply; those bounds have rows',
    },
    { at: /:(MIN_LENGTH|DEFAULT_COST\.\w+|FIRST_LOOK)$/, why: 'minimum values' },
    { at: /^platform\/process\/clock\.ts:READINGS$/, why: 'how many readings are compared' },
    {
        at: /:(SWEPT_ROWS|SAME_SIGNAL_MS|MAX_CLOCK_SKEW_S|REUSE_GRACE_MS|SMALL_BODY_BYTES|NOTABLE_MS|OLDEST_DAY)$/,
        why: 'thresholds of a rule',
    },
];

/** Maps and sets that need no bound, and why. */
const NOT_KEPT: ReadonlyArray<{ at: RegExp; why: string }> = [
    {
        at: /(store|row-lookup)\.ts:(found|ids|owners|byAccount|places|far|refused|written|wasWritten|outcomeOf|firsts)$/,
        why: 'holds the rows of one statement',
    },
    {
        at: /^(?!platform\/(rpc\/connections|rpc\/bounds\/unknown-connections|access\/guard-memory)\.ts|services\/did\/store\.ts).*:(byAddress|slices|targets|unknown|owned|taken|newest|known)$/,
        why: 'lives for one call or sweep',
    },
    { at: /^gateway\/batch-answer\.ts:refused$/, why: 'the items of one call' },
    { at: /^services\/credentials\/foreign-view\.ts:rows$/, why: 'the rows of one page' },
    {
        at: /:(RAW_MEMBERS|SMALL_ORDER|PARSERS|methods|allowed|listed|table|checks|counters)$/,
        why: 'built once from code or settings',
    },
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

/** Whether a cell contains the value as a number of its own, and not as part of a longer number. */
function states(cell: string, text: string): boolean {
    const literal = text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    return new RegExp(`(?<![\\d,.])${literal}(?![\\d]|,\\d)`).test(cell);
}

/** A setting's default in the table's notation. A quota has one default for each tier. */
function defaultTexts(name: string, value: unknown): string[] {
    const numbers: unknown[] = typeof value === 'object' && value !== null ? Object.values(value) : [value];
    return numbers.map((number) => (name.endsWith('_BYTES') ? sizeText : countText)(Number(number)));
}

describe('docs/bounds.md', () => {
    it('states every bound in the code, with its value', () => {
        const bounds = BOUNDS.filter(({ at }) => !isExcepted(at, NO_BOUNDS));
        assert.ok(bounds.length > 100);
        const faults = bounds.flatMap(({ at, text }) => {
            const row = rowOf(at);
            if (!row) return [`add a row with the bound "${text}" whose last column names \`${at}\``];
            return states(row.bound, text) ? [] : [`the row of \`${at}\` must state the bound "${text}": ${row.bound}`];
        });
        assert.deepEqual(faults, []);
    });

    it('has a row for every long-lived map, set, cache and queue', () => {
        const kept = holders().filter((at) => !isExcepted(at, NOT_KEPT));
        const named = ROWS.flatMap(({ where }) => where);
        const missing = [
            ...kept.filter((at) => !named.includes(at)),
            ...queueFiles().filter((file) => !named.some((at) => at.split(':')[0] === file)),
        ];
        assert.deepEqual(missing, [], 'add rows whose last column names these');
    });

    it('has a row for every Redis key prefix and every database table', () => {
        const prefixes = redisPrefixes().filter((prefix) => !new RegExp(`\`\\{?${prefix}:`).test(TEXT));
        assert.deepEqual(prefixes, [], 'add rows for Redis keys with these prefixes');
        const unnamed = tables().filter((table) => !TEXT.includes(`\`${table}\``));
        assert.deepEqual(unnamed, [], 'add rows for these tables');
    });

    it('states every setting that is a bound, with its default', () => {
        const defaults: Record<string, unknown> = loadConfig({});
        const missing = settingNames
            .filter((name) => /_(LIMIT|MAX|POOL|THREADS)(_|$)|^(MAX|QUOTA)_/.test(name))
            .filter((name) => {
                const row = ROWS.find(({ bound }) => codeIn(bound).includes(name));
                const isFixed = !name.endsWith('_THREADS'); // those defaults depend on the number of cores
                return (
                    !row || (isFixed && !defaultTexts(name, defaults[name]).every((text) => states(row.bound, text)))
                );
            });
        assert.deepEqual(missing, [], 'state these settings and their defaults in the column of the bound');
    });

    it('names only files and identifiers that exist', () => {
        const gone = ROWS.flatMap(({ where }) => where).filter((at) => {
            const [file = '', name] = at.split(':');
            return name === undefined ? !existsSync(file) : !isInSource(file, name);
        });
        assert.deepEqual(gone, []);
    });

    it('says in every row what happens beyond the bound', () => {
        const silent = ROWS.slice(1).filter(({ bound, beyond }) => bound !== '' && beyond === '');
        assert.deepEqual(silent, []);
    });

    it('needs every exception that this test lists', () => {
        const unused = [
            ...NO_BOUNDS.filter(({ at }) => !BOUNDS.some((bound) => at.test(bound.at))),
            ...NOT_KEPT.filter(({ at }) => !holders().some((holder) => at.test(holder))),
        ];
        assert.deepEqual(unused, []);
    });
});
