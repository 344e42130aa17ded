import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { statedBounds } from '../../tools/reference/stated-bounds.ts';

const GROWTH = readFileSync('docs/growth.md', 'utf8');
const SOURCES = globSync('{main.ts,{gateway,platform,services,tokens,workers}/**/*.ts}')
    .filter((file) => !file.startsWith('gateway/openapi/'))
    .map((file) => ({ file, source: readFileSync(file, 'utf8') }));

/** A constant of a module. Its doc comment is checked. */
const CONSTANT = /^(?:export )?const [A-Z][A-Z0-9_]*(?:: [^=\n]+)? = \{?[^;{}]*\}?[^;{}]*;/gm;
/** A number that is passed to a queue, a pool or a library as a bound. One and none are no bounds to choose. */
const BARE = /\b(?:max[A-Z]\w*|\w+Timeout\w*|\w+Limit|concurrency): (?![01]\b)\d[\d_]*/g;

/** The prefix, before the first colon, of every Redis key: `limit` for `limit:{3}:…`. */
function redisPrefixes(): string[] {
    const found = SOURCES.flatMap(({ source }) =>
        Array.from(source.matchAll(/`\{?([a-z]+):\$\{/g), ([, prefix = '']) => prefix),
    );
    return [...new Set(found)];
}

/** Every table that exists after all migrations, as `schema.table`. */
function tables(): string[] {
    const statements = globSync('services/*/migrations/*.sql').map((file) => readFileSync(file, 'utf8'));
    const namesAfter = (words: RegExp): string[] =>
        statements.flatMap((text) => Array.from(text.matchAll(words), ([, name = '']) => name));
    const dropped = new Set(namesAfter(/^DROP TABLE ([^\s;]+)/gm));
    return namesAfter(/^CREATE TABLE (\S+)/gm).filter((name) => !dropped.has(name));
}

describe('docs/reference/bounds.md', () => {
    it('says of every bound in the code what it bounds', () => {
        const bounds = statedBounds();
        assert.ok(bounds.length > 200);
        const silent = bounds.filter(({ comment }) => !/^[A-Z`].*\.$/.test(comment.split(' Beyond it: ')[0] ?? ''));
        assert.deepEqual(
            silent.map(({ file, name }) => `${file}:${name}`),
            [],
            'write a doc comment, and what happens beyond the bound: `Beyond it: …`',
        );
    });

    it('has every bound, because each is a constant', () => {
        const bare = SOURCES.flatMap(({ file, source }) =>
            Array.from(source.replace(CONSTANT, '').matchAll(BARE), ([text]) => `${file}: ${text}`),
        );
        assert.deepEqual(bare, [], 'make these constants with doc comments');
    });
});

describe('docs/growth.md', () => {
    it('names every kind of Redis key and every table', () => {
        const prefixes = redisPrefixes().filter((prefix) => !new RegExp(`\`\\{?${prefix}:`).test(GROWTH));
        assert.deepEqual(prefixes, [], 'add rows for Redis keys with these prefixes');
        const isNamed = (table: string) =>
            GROWTH.includes(`\`${table}\``) || GROWTH.includes(`\`*${table.slice(table.indexOf('.'))}\``);
        const unnamed = tables().filter((table) => !isNamed(table));
        assert.deepEqual(unnamed, [], 'add rows for these tables');
    });
});
