import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

/** Names of what is not public in Node, Express, grpc-js or pg, and the channels on which they report internal events. */
const PRIVATE = /diagnostics_channel|kOnExecute|\.onIncoming|\._dump|\b_handle\b|commonServerOptions|readStop\(/;

test('no file uses a private part of Node or of a library', () => {
    const sources = globSync('{gateway,platform,services,workers,tokens,verify,client,cli,deploy}/**/*.ts', {
        exclude: ['**/node_modules/**'],
    });
    assert.deepEqual(
        sources.filter((file) => PRIVATE.test(readFileSync(file, 'utf8'))),
        [],
    );
});
