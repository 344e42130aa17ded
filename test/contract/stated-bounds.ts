import { globSync, readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { countText, durationText, sizeText } from './page-tables.ts';

/** A number in the code that may bound something. */
export interface StatedBound {
    /** `file:NAME`; `file:NAME.member` for a member of a constant; `file:member` for a member of another object. */
    at: string;
    /** The value as docs/bounds.md writes it. */
    text: string;
}

/** The service's sources without their comments. gateway/openapi/ only describes the interface. */
const SOURCES = globSync('{main.ts,proto/limits.ts,{gateway,platform,services,workers}/**/*.ts}')
    .filter((file) => !file.startsWith('gateway/openapi/'))
    .sort()
    .map((file) => ({ file, source: withoutComments(readFileSync(file, 'utf8')) }));

/** A constant of a module: its name and what it is set to. */
const CONSTANT = /^(?:export )?const ([A-Z][A-Z0-9_]*)(?:: [^=]+)? = ([^;]+);/gm;
/** A number that a queue, a pool or a library is given as its bound: `max_batch: 64`, `headersTimeout: 10_000`. */
const MEMBER = /\b(max\w*|\w+Timeout\w*|\w+Limit|concurrency): (?:[^,\n]+\? [^,\n]+ : )?([\d_]+(?: [<*+] ?[<\d_ ]+)?)/g;
/** Numbers, operators and names of other constants. */
const ARITHMETIC = /^(?!0x)[\w\s<*/+.()-]*\d[\w\s<*/+.()-]*$/;
/** A variable that holds a map, a set or a cache. */
const HOLDER = /(?:const|let|readonly) (#?\w+)[^=\n]* = (?:\(\) => )?(?:new (?:Weak)?(?:Map|Set)\b|createCache)/g;
/** What gathers calls: each use of it is a queue. */
const QUEUE = /\b(?:coalesce|gather|lanes)(?:<[^(]*>)?\(\{/;

/** Every number that a module sets as a constant, or gives to a queue, a pool or a library as its bound. */
export function statedBounds(): StatedBound[] {
    return SOURCES.flatMap(({ file, source }) => {
        return [...Object.entries(constantsOf(source)), ...membersOf(source)]
            .filter(([, value]) => value !== 0) // as `maxRetriesPerRequest: 0`: there is none
            .map(([name, value]) => ({ at: `${file}:${name}`, text: textOf(name, value) }));
    });
}

/** `file:variable` of everything that holds entries in a map, a set or a cache. */
export function holders(): string[] {
    return SOURCES.flatMap(({ file, source }) => Array.from(source.matchAll(HOLDER), ([, name]) => `${file}:${name}`));
}

/** The files that make a queue. platform/batch.ts makes none for itself. */
export function queueFiles(): string[] {
    return SOURCES.filter(({ file, source }) => file !== 'platform/batch.ts' && QUEUE.test(source)).map(
        ({ file }) => file,
    );
}

/** The words before the first colon of all names that are made for Redis: `limit` for `limit:{3}:…`. */
export function redisPrefixes(): string[] {
    const found = SOURCES.flatMap(({ source }) =>
        Array.from(source.matchAll(/`\{?([a-z]+):\$\{/g), ([, prefix = '']) => prefix),
    );
    return [...new Set(found)];
}

/** Every table that is there after the migrations, as `schema.table`. */
export function tables(): string[] {
    const statements = globSync('{services,workers}/*/migrations/*.sql').map((file) => readFileSync(file, 'utf8'));
    const namesAfter = (words: RegExp): string[] =>
        statements.flatMap((text) => Array.from(text.matchAll(words), ([, name = '']) => name));
    const dropped = new Set(namesAfter(/^DROP TABLE ([^\s;]+)/gm));
    return namesAfter(/^CREATE TABLE (\S+)/gm).filter((name) => !dropped.has(name));
}

/** Whether a name stands in one of the sources. */
export function isInSource(file: string, name: string): boolean {
    const source = SOURCES.find((one) => one.file === file)?.source;
    return source?.split(/[^\w#]+/).includes(name.split('.')[0] ?? '') ?? false;
}

function withoutComments(source: string): string {
    return source.replace(/\/\*\*?[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/ .*$/gm, '');
}

/** The constants of one source that are numbers, and the members that are numbers of those that are flat objects. */
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

/** The bounds that stand in other objects; one name may stand there twice, with two values. */
function membersOf(source: string): Array<[name: string, value: number]> {
    return Array.from(source.replace(CONSTANT, '').matchAll(MEMBER)).flatMap(([, name = '', written = '']) => {
        const value = numberOf(written, {});
        return value === undefined ? [] : [[name, value]];
    });
}

/** What an expression of numbers and known constants comes to; undefined for any other text. */
function numberOf(written: string, known: Record<string, number>): number | undefined {
    if (!ARITHMETIC.test(written)) return undefined;
    if (/^[\d_]+$/.test(written)) return Number(written.replaceAll('_', ''));
    try {
        const value: unknown = runInNewContext(written, { ...known });
        return typeof value === 'number' ? value : undefined;
    } catch {
        return undefined; // it names something else than a constant of its file
    }
}

function textOf(name: string, value: number): string {
    if (/_MS$|Timeout|_wait$|\.remembered$|\.day$/.test(name)) return durationText(value);
    if (/BYTES|HeaderSize/.test(name)) return sizeText(value);
    return countText(value);
}
