import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { endpointTable } from '../../gateway/endpoints/index.ts';
import { codeIn, rowsOf } from './page-tables.ts';

const PAGE = readFileSync('docs/security.md', 'utf8');

describe('docs/security.md', () => {
    it('the matrix has every endpoint once, judged by all ten items', () => {
        const [head = [], ...rows] = rowsOf('docs/security.md', 'OWASP API Security Top 10 (2023)');
        assert.equal(head.length, 11);
        const endpoints = endpointTable({ version: '', cache: async () => {}, clock: Date.now });
        assert.deepEqual(
            rows.map(([name = '']) => codeIn(name)[0]).sort(),
            endpoints.map(({ method, path }) => `${method} ${path}`).sort(),
        );
        assert.deepEqual(
            rows.filter((cells) => cells.length !== head.length || cells.includes('')),
            [],
        );
    });

    it('names tests that exist, by file and name', () => {
        const named = Array.from(
            PAGE.matchAll(/`(test\/[\w/.-]+\.test\.ts)`((?:,?\s+"[^"]+")*)/g),
            ([, file = '', names = '']) => ({
                file,
                names: Array.from(names.matchAll(/"([^"]+)"/g), ([, name = '']) => name.replaceAll(/\s+/g, ' ')),
            }),
        );
        assert.ok(named.length > 60);
        const lost = named.flatMap(({ file, names }) => {
            if (!existsSync(file)) return [file];
            const source = readFileSync(file, 'utf8');
            return names.filter((name) => !source.includes(name)).map((name) => `${file}: ${name}`);
        });
        assert.deepEqual(lost, []);
    });
});

/** What can open a connection: a client of Node's, a library with one. */
const CONNECTS =
    /(?<![.\w]|async )fetch\(|^import (?!type )[^;]*\b(?:request|get|connect|createConnection|createSocket|lookup)\b[^;]* from 'node:(?:https?|http2|net|tls|dgram|dns(?:\/promises)?)'|^import (?!type )[^;]* from '(?:@grpc\/grpc-js|slonik|pg|ioredis|bullmq|undici|@opentelemetry\/exporter-trace-otlp-http)'/m;
/**
 * The files that open connections: to the database, to Redis, to the own services and to the collector. Settings name all of
 * these addresses. db-errors.ts only knows the library's classes of errors.
 */
const CONNECTING =
    /^platform\/(postgres\/(db|db-driver|db-errors|migrate|migration-transaction)|redis\/(redis|redis-cluster|jobs)|telemetry\/tracing-otlp)\.ts$|^platform\/rpc\//;

it('only the settings say where the service connects to', () => {
    const files = globSync('{main.ts,{gateway,platform,services,workers}/**/*.ts}');
    const connecting = files.filter((file) => CONNECTS.test(readFileSync(file, 'utf8')));
    assert.ok(
        connecting.includes('platform/rpc/replica.ts') && connecting.includes('platform/telemetry/tracing-otlp.ts'),
    );
    assert.deepEqual(
        connecting.filter((file) => !CONNECTING.test(file)),
        [],
    );
});
