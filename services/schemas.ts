import { globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { SchemaMigrations } from '../platform/postgres/migrate.ts';

const HERE = import.meta.dirname;

/** Every schema with its owner's migrations. usage comes first, because the others append to usage.deltas. */
export const SCHEMAS: readonly SchemaMigrations[] = [
    { schema: 'usage', folder: join(HERE, '../workers/usage/migrations') },
    ...globSync('*/migrations', { cwd: HERE })
        .sort()
        .map((path) => ({ schema: dirname(path), folder: join(HERE, path) })),
];
