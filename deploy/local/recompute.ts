import './node-version.ts';
import { type Database, databaseOpener } from '../../platform/postgres/db.ts';
import { databaseUrls, loadConfig } from '../../platform/process/config.ts';
import { createMetrics } from '../../platform/telemetry/metrics.ts';
import { SERVICE_ROLES } from '../../proto/services.ts';
import { findDrift } from '../../services/counts/drift.store.ts';
import { COUNTING } from '../../services/counts/pending.store.ts';
import { openDataDir } from './data-dir.ts';
import { runningPostgres } from './databases/postgres.ts';

/**
 * `npm run usage:recompute`: compares the counts in the statistics with the rows that they count, in the databases of
 * DATABASE_URL, DATABASE_URL_<ROLE> and CREDENTIAL_PARTS, or of the service that runs on DATA_DIR. `-- --repair` corrects the counts.
 */

/** Time limit for counting the rows of one service, in milliseconds: an hour, because a table may be large. */
const COUNT_MS = 3_600_000;

const given = loadConfig(process.env, SERVICE_ROLES);
const DATABASE_URL = given.DATABASE_URL ?? runningPostgres(openDataDir(process.env['DATA_DIR'] ?? '.data'));
if (DATABASE_URL === undefined) {
    console.error('No database: set DATABASE_URL, or DATA_DIR to the folder that a service is running on.');
    process.exit(1);
}
const urlsOf = (role: string) => databaseUrls({ ...given, DATABASE_URL }, role);
const open = databaseOpener({ size: 1, pooled: false, metrics: createMetrics(), statementMs: COUNT_MS });
const databases = new Map<string, Database>();
for (const url of new Set(COUNTING.flatMap(urlsOf))) databases.set(url, await open(url));

const repair = process.argv.includes('--repair');
const countedIn = (service: string) => urlsOf(service).map((url) => databases.get(url) as Database); // each is open
const drift = await findDrift(countedIn, { repair });
for (const { account, kind, counted, rows } of drift)
    console.log(`${kind} of ${account}: counted ${counted}, rows ${rows}`);
const found = `drift in ${drift.length} counts${repair ? ', which is corrected' : ''}`;
console.log(drift.length === 0 ? 'drift 0: every count equals its number of rows' : found);
process.exit(drift.length === 0 || repair ? 0 : 1);
