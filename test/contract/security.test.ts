import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { endpointTable } from '../../gateway/endpoints/index.ts';
import { codeIn, rowsOf } from '../../tools/reference/page-tables.ts';

const PAGE = readFileSync('docs/security.md', 'utf8');
const MATRIX = 'docs/reference/owasp.md';

describe(MATRIX, () => {
    it('has every endpoint once in the matrix, with an entry for each item', () => {
        const [head = [], ...rows] = rowsOf(MATRIX);
        assert.equal(head.length, 6);
        const endpoints = endpointTable({ version: '', cache: async () => {}, clock: Date.now });
        assert.deepEqual(
            rows.map(([name = '']) => codeIn(name)[0]).sort(),
            endpoints.map(({ method, path }) => `${method} ${path}`).sort(),
            `${MATRIX} has other endpoints than gateway/endpoints/: run \`npm run reference\` and commit it`,
        );
        assert.deepEqual(
            rows.filter((cells) => cells.length !== head.length || cells.includes('')),
            [],
            `rows of ${MATRIX} without an entry for each item: correct tools/reference/owasp-page.ts`,
        );
    });
});

describe('docs/security.md', () => {
    it('names only tests that exist', () => {
        const named = Array.from(PAGE.matchAll(/`(test\/[\w/.-]+)`/g), ([, path = '']) => path);
        assert.ok(named.length > 10);
        assert.deepEqual(
            named.filter((path) => !existsSync(path)),
            [],
        );
    });
});

/** Code that can open a connection: one of Node's clients, or a library that contains a client. */
const CONNECTS =
    /(?<![.\w]|async )fetch\(|\bimport\('@aws-sdk\/|^import (?!type )[^;]*\b(?:request|get|connect|createConnection|createSocket|lookup)\b[^;]* from 'node:(?:https?|http2|net|tls|dgram|dns(?:\/promises)?)'|^import (?!type )[^;]* from '(?:@grpc\/grpc-js|slonik|pg|ioredis|bullmq|undici|@opentelemetry\/exporter-trace-otlp-http)'/m;
/**
 * The files that open connections: to the database, to Redis, to our own services, to the collector and to the provider
 * of the key-encryption key. All of these addresses come from settings. db-errors.ts opens none: it only imports the
 * library's error classes. The sender of webhooks connects to addresses of strangers, and judges each.
 */
const CONNECTING =
    /^platform\/(postgres\/(db|db-driver|db-errors|migrate|migration-transaction|session)|redis\/(redis|redis-cluster|jobs)|telemetry\/tracing-otlp|preflight\/(redis|postgres))\.ts$|^platform\/rpc\/|^services\/signing\/key-encryption\/(vault|aws-kms)-kek\.ts$|^services\/webhooks\/sender\/exchange\.ts$/;

it('only files that take the address from the settings, or judge it, open connections', () => {
    const files = globSync('{main.ts,{gateway,platform,services,tokens,workers}/**/*.ts}');
    const connecting = files.filter((file) => CONNECTS.test(readFileSync(file, 'utf8')));
    assert.ok(
        connecting.includes('platform/rpc/replica.ts') && connecting.includes('platform/telemetry/tracing-otlp.ts'),
    );
    assert.deepEqual(
        connecting.filter((file) => !CONNECTING.test(file)),
        [],
    );
});
