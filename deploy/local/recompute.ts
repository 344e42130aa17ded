import './node-version.ts';
import { openDatabase } from '../../platform/postgres/db.ts';
import { loadConfig } from '../../platform/process/config.ts';
import { createMetrics } from '../../platform/telemetry/metrics.ts';
import { findDrift } from '../../services/counts/drift.store.ts';
import { openDataDir } from './data-dir.ts';
import { runningPostgres } from './databases/postgres.ts';

/**
 * `npm run usage:recompute`: compares the counts in the statistics with the rows that they count, in the database of
 * DATABASE_URL or of the service that runs on DATA_DIR. `-- --repair` corrects the counts.
 */

/** Time limit for counting the rows of one service, in milliseconds: an hour, because a table may be large. */
const COUNT_MS = 3_600_000;

const url = loadConfig(process.env).DATABASE_URL ?? runningPostgres(openDataDir(process.env['DATA_DIR'] ?? '.data'));
if (url === undefined) {
    console.error('No database: set DATABASE_URL, or DATA_DIR to the folder that a service is running on.');
    process.exit(1);
}
const db = await openDatabase({ url, size: 1, pooled: false, metrics: createMetrics(), statementMs: COUNT_MS });
const repair = process.argv.includes('--repair');
const drift = await findDrift(db, { repair }).finally(() => db.close());
for (const { account, kind, counted, rows } of drift)
    console.log(`${kind} of ${account}: counted ${counted}, rows ${rows}`);
const found = `drift in ${drift.length} counts${repair ? ', which is corrected' : ''}`;
console.log(drift.length === 0 ? 'drift 0: every count equals its number of rows' : found);
process.exit(drift.length === 0 || repair ? 0 : 1);
