import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { inPartSchema, partSchemaOf } from '../../../../platform/postgres/part-schema.ts';
import { SCHEMAS } from '../../../../services/schemas.ts';
import { templatesIn } from '../../../contract/statements.ts';

const part = { service: 'credentials', schema: 'credentials_3' };

test('a URL names the schema of a part', () => {
    const url = 'postgresql://ada:hush@db.example/credentials';
    assert.equal(partSchemaOf(url), undefined);
    assert.deepEqual(partSchemaOf(`${url}?sslmode=disable&schema=credentials_3`), part);
});

test('a statement has the schema of the part, and keeps everything else', () => {
    for (const [text, changed] of [
        ['SELECT FROM credentials.credentials WHERE id = $1', 'SELECT FROM "credentials_3".credentials WHERE id = $1'],
        ['INSERT INTO "credentials"."outbox" AS credentials', 'INSERT INTO "credentials_3"."outbox" AS credentials'],
        ['SELECT $1 FROM keys.keys', 'SELECT $1 FROM keys.keys'],
        [`SELECT 'credentials_issued' FROM my_credentials.x`, `SELECT 'credentials_issued' FROM my_credentials.x`],
        ['-- about credentials. Each', '-- about credentials. Each'],
        [
            `SELECT 'it''s credentials.x', $1 /* credentials.x */`,
            `SELECT 'it''s credentials.x', $1 /* credentials.x */`,
        ],
        [`-- it's\nSELECT FROM credentials.x`, `-- it's\nSELECT FROM "credentials_3".x`],
        ['SELECT a.credentials.x, "my credentials.x"', 'SELECT a.credentials.x, "my credentials.x"'],
    ] as const)
        assert.equal(inPartSchema(part)(text), changed);
});

test('no migration of the credentials keeps the schema of the service', () => {
    const folder = SCHEMAS.find(({ schema }) => schema === 'credentials')?.folder;
    const texts = globSync(`${folder}/*.sql`).map((file) => inPartSchema(part)(readFileSync(file, 'utf8')));
    assert.ok(texts.length > 10);
    for (const text of texts) assert.doesNotMatch(text, /(?<![\w/])credentials\.\w/);
});

test('what it changes in the statements of the stores are names of tables, and nothing else', () => {
    const texts = globSync('services/{credentials,counts,idempotency,outbox}/**/*store.ts').flatMap((file) =>
        templatesIn(readFileSync(file, 'utf8')),
    );
    const tables = globSync('services/credentials/migrations/*.sql').flatMap((file) =>
        Array.from(readFileSync(file, 'utf8').matchAll(/CREATE TABLE credentials\.(\w+)/g), ([, table]) => table),
    );
    const changed = texts.flatMap((text) =>
        Array.from(inPartSchema(part)(text).matchAll(/"credentials_3"\.(\w+)/g), ([, table]) => table),
    );
    assert.ok(changed.length > 30, `${changed.length} names`);
    assert.deepEqual(
        changed.filter((table) => !tables.includes(table)),
        [],
    );
});
