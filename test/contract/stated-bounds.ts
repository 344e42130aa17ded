import { globSync, readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { countText, durationText, sizeText } from './page-tables.ts';

/** A number in the code that may be a bound. */
export interface StatedBound {
    /** `file:NAME`; `file:NAME.member` for a member of a constant; `file:member` for a member of another object. */
    at: string;
    /** The value as docs/bounds.md writes it. */
    text: string;
}

/** The service's sources without their comments. gateway/openapi/ only describes the interface. */
const SOURCES = globSync('{main.ts,proto/limits.ts,{gateway,platform,services,tokens,workers}/**/*.ts}')
    .filter((file) => !file.startsWith('gateway/openapi/'))
    .sort()
    .map((file) => ({ file, source: withoutComments(readFileSync(file, 'utf8')) }));

/** A constant of a module: its name and its value. */
const CONSTANT = /^(?:export )?const ([A-Z][A-Z0-9_]*)(?:: [^=]+)? = ([^;]+);/gm;
/** A bound that is passed to a queue, a pool or a library: `maxBatch: 64`, `headersTimeout: 10_000`. */
const MEMBER = /\b(max\w*|\w+Timeout\w*|\w+Limit|concurrency): (?:[^,\n]+\? [^,\n]+ : )?([\d_]+(?: [<*+] ?[<\d_ ]+)?)/g;
/** Numbers, operators and names of other constants. */
const ARITHMETIC = /^(?!0x)[\w\s<*/+.()-]*\d[\w\s<*/+.()-]*$/;
/** A variable that holds a map, a set or a cache. */
const HOLDER = /(?:const|let|readonly) (#?\w+)[^=\n]* = (?:\(\) => )?(?:new (?:Weak)?(?:Map|Set)\b|createCache)/g;
/** A function that gathers calls. Each use of it creates a queue. */
const QUEUE = /\b(?:coalesce|gather|priorityQueue|new Places|new BoundedQueue|rowLookup)(?:<[^(]*>)?\((?:db, )?\{/;

/** Every number that a module sets as a constant, or passes to a queue, a pool or a library as a bound. */
export function statedBounds(): StatedBound[] {
    return SOURCES.flatMap(({ file, source }) => {
        return [...Object.entries(constantsOf(source)), ...membersOf(source)]
            .filter(([, value]) => value !== 0) // 0 means none, as in `maxRetriesPerRequest: 0`
            .map(([name, value]) => ({ at: `${file}:${name}`, text: textOf(name, value) }));
    });
}

/** `file:variable` of every variable that holds a map, a set or a cache. */
export function holders(): string[] {
    return SOURCES.flatMap(({ file, source }) => Array.from(source.matchAll(HOLDER), ([, name]) => `${file}:${name}`));
}

/** The files that create a queue. platform/batch.ts is not one: it defines the functions that do. */
export function queueFiles(): string[] {
    return SOURCES.filter(
        ({ file, source }) =>
            !['platform/batch.ts', 'platform/gather.ts', 'platform/postgres/row-lookup.ts'].includes(file) &&
            QUEUE.test(source),
    ).map(({ file }) => file);
}

/** The prefix, before the first colon, of every Redis key: `limit` for `limit:{3}:…`. */
export function redisPrefixes(): string[] {
    const found = SOURCES.flatMap(({ source }) =>
        Array.from(source.matchAll(/`\{?([a-z]+):\$\{/g), ([, prefix = '']) => prefix),
    );
    return [...new Set(found)];
}

/** Every table that exists after all migrations, as `schema.table`. */
export function tables(): string[] {
    const statements = globSync('{services,workers}/*/migrations/*.sql').map((file) => readFileSync(file, 'utf8'));
    const namesAfter = (words: RegExp): string[] =>
        statements.flatMap((text) => Array.from(text.matchAll(words), ([, name = '']) => name));
    const dropped = new Set(namesAfter(/^DROP TABLE ([^\s;]+)/gm));
    return namesAfter(/^CREATE TABLE (\S+)/gm).filter((name) => !dropped.has(name));
}

/** Whether the source of a file contains a name as a word. */
export function isInSource(file: string, name: string): boolean {
    const source = SOURCES.find((one) => one.file === file)?.source;
    return source?.split(/[^\w#]+/).includes(name.split('.')[0] ?? '') ?? false;
}

function withoutComments(source: string): string {
    return source.replace(/\/\*\*?[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/ .*$/gm, '');
}

/** The numeric constants of one source, and the numeric members of its constants that are flat objects. */
function constantsOf(source: string): Record<string, number> {
    const known: Record<string, number> = {};
    for (const [, name = '', written = ''] of source.matchAll(CONSTANT)) {
        const text = written.replace(/\bas const\b.*$/s, '').trim();
        const value = numberOf(text, known);
        if (value !== undefined) known[name] = value;
        if (!text.startsWith('{') || text.includes('{', 1)) continue;
        for (const [, member = '', part = ''] of text.matchAll(/(\w+): ([^,}\n]+)/g)) {
            const number = numberOf(part.trim(), known);
            if (number !== undefined) known[`${name}.${member}`] = number;
        }
    }
    return known;
}

/** The bounds in other objects. A name may occur twice, with two values. */
function membersOf(source: string): Array<[name: string, value: number]> {
    return Array.from(source.replace(CONSTANT, '').matchAll(MEMBER)).flatMap(([, name = '', written = '']) => {
        const value = numberOf(written, {});
        return value === undefined ? [] : [[name, value]];
    });
}

/** The value of an expression of numbers and known constants. Undefined for any other text. */
function numberOf(written: string, known: Record<string, number>): number | undefined {
    if (!ARITHMETIC.test(written)) return undefined;
    if (/^[\d_]+$/.test(written)) return Number(written.replaceAll('_', ''));
    try {
        const value: unknown = runInNewContext(written, { ...known });
        return typeof value === 'number' ? value : undefined;
    } catch {
        return undefined; // it contains a name that is no constant of its file
    }
}

function textOf(name: string, value: number): string {
    if (/_MS$|Timeout|_wait$|\.remembered$|\.day$/.test(name)) return durationText(value);
    if (/BYTES|HeaderSize/.test(name)) return sizeText(value);
    return countText(value);
}
