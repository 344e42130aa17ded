import { globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { SchemaMigrations } from '../platform/postgres/migrate.ts';

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
