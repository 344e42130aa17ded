import './node-version.ts';
import { join } from 'node:path';
import { ConfigError, type Environment, loadConfig } from '../../platform/process/config.ts';
import { SERVICE_ROLES } from '../../proto/services.ts';
import { abandonLists } from '../../services/credentials/status-lists/abandon.store.ts';
import { NotRewrapped } from '../../services/signing/key-encryption/rewrap.ts';
import { rewrap } from '../../services/signing/key-encryption/rewrap-command.ts';
import { isGiven, openDataDir } from './data-dir.ts';
import { runningPostgres } from './databases/postgres.ts';

import { Problem } from './problem.ts';

/**
 * `npm run keys:rewrap`: wraps the data keys of managed issuers with the current key-encryption key, in the database of
 * DATABASE_URL or of the service that runs on DATA_DIR, or does what its options say
 * (docs/operations/rotate.md#keys-of-managed-issuers). In the container image this is `node main.ts rewrap`.
 */
function environment(): Environment {
    const given: Environment = process.env;
    if (isGiven(given, 'DATABASE_URL')) return given;
    const dataDir = openDataDir(given['DATA_DIR'] ?? '.data');
    const url = runningPostgres(dataDir);
    if (url === undefined) {
        throw new Problem('No database: set DATABASE_URL, or DATA_DIR to the folder that a service is running on.');
    }
    const kek = isGiven(given, 'KEK') ? {} : { KEK_FILE: join(dataDir, 'kek') };
    return { ...given, ...kek, DATABASE_URL: url };
}

try {
    const print = (line: string): void => console.log(line);
    await rewrap({
        config: loadConfig(environment(), SERVICE_ROLES),
        args: process.argv.slice(2),
        print,
        abandonLists,
    });
} catch (error) {
    const isPlain = error instanceof ConfigError || error instanceof NotRewrapped || error instanceof Problem;
    if (!isPlain) throw error;
    console.error(error.message);
    process.exitCode = 1;
}
