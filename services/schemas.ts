import { join } from 'node:path';
import type { SchemaMigrations } from '../platform/postgres/migrate.ts';

const migrations = (schema: string, folder: string): SchemaMigrations => ({
    schema,
    folder: join(import.meta.dirname, '..', folder, 'migrations'),
});

/** Every schema with its owner's migrations. usage comes first, because the others append to usage.deltas. */
export const SCHEMAS: readonly SchemaMigrations[] = [
    migrations('usage', 'workers/usage'),
    migrations('identity', 'services/identity'),
    migrations('keys', 'services/keys'),
    migrations('did', 'services/did'),
    migrations('credentials', 'services/credentials'),
    migrations('presentations', 'services/presentations'),
    migrations('wallet', 'services/wallet'),
];
