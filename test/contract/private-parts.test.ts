import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

/**
 * Names of what is not public in Node, Express, grpc-js, pg, ioredis or BullMQ, the channels on which they report
 * internal events, and the ways to what has no public name: members that begin with `_`, symbols, casts to `any`, files
 * inside a package.
 */
const PRIVATE = [
    /diagnostics_channel|kOnExecute|\.onIncoming|commonServerOptions|readStop\(|this\.stream\b|shouldKeepAlive|'opts\.\w+'/,
    /[\w)\]]\??\._(?!zod\b)\w+/,
    /getOwnPropertySymbols|Reflect\.ownKeys|\bas any\b/,
    /from '(@[\w-]+\/)?[\w-]+\/(dist|build|lib|src|internal)\//,
];

test('no file uses a private part of Node or of a library', () => {
    const sources = globSync(
        ['main.ts', '{gateway,platform,services,workers,tokens,verify,client,cli,deploy,tools}/**/*.ts'],
        {
            exclude: ['**/node_modules/**'],
        },
    );
    assert.deepEqual(
        sources.filter((file) => PRIVATE.some((part) => part.test(readFileSync(file, 'utf8')))),
        [],
    );
});
