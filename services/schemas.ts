import { globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { SchemaMigrations } from '../platform/postgres/migrate.ts';
import { partSchemaOf } from '../platform/postgres/part-schema.ts';

const HERE = import.meta.dirname;

/**
 * Every schema with its owner's migrations. usage comes first, because migrations of earlier releases append to
 * usage.deltas.
 */
export const SCHEMAS: readonly SchemaMigrations[] = [
    'usage',
    ...globSync('*/migrations', { cwd: HERE })
        .map((path) => dirname(path))
        .filter((schema) => schema !== 'usage')
        .sort(),
].map((schema) => ({ schema, folder: join(HERE, schema, 'migrations') }));

/** The schemas that the database of this URL has for this program. A URL that names the schema of a part has that one. */
export function schemasOf(url: string): readonly SchemaMigrations[] {
    const part = partSchemaOf(url);
    if (!part) return SCHEMAS;
    return SCHEMAS.filter(({ schema }) => schema === part.service).map((own) => ({
        ...own,
        schema: part.schema,
        part,
    }));
}
