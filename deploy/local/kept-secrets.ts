import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { LOOK_TIMEOUT_MS, withSession } from '../../platform/postgres/session.ts';
import type { Environment } from '../../platform/process/config.ts';
import { isGiven, keptSecret, keptSigningKey } from './data-dir.ts';
import type { LaunchContext } from './prepare.ts';
import { Problem } from './problem.ts';

/** A secret that the launchers make at the first start. */
interface KeptSecret {
    setting: string;
    /** Its file in DATA_DIR. */
    file: string;
    /** A table that a database has from its first start with such a secret. */
    table: string;
    /** What follows if it is lost, and another one takes its place. */
    loss: string;
    /** Prints a new one. */
    command: string;
}

const RANDOM = 'openssl rand -base64 32';

const SECRETS: readonly KeptSecret[] = [
    {
        setting: 'INTERNAL_SECRET',
        file: 'internal-secret',
        table: 'identity.users',
        loss: 'internal callers must get the new one',
        command: RANDOM,
    },
    {
        setting: 'SERVICE_TOKEN',
        file: 'service-token',
        table: 'identity.users',
        loss: 'cursors of lists that callers hold are refused',
        command: RANDOM,
    },
    {
        setting: 'IDEMPOTENCY_PEPPER',
        file: 'idempotency-pepper',
        table: 'identity.idempotency',
        loss: 'calls that are repeated with an Idempotency-Key run twice',
        command: RANDOM,
    },
    {
        setting: 'KEK',
        file: 'kek',
        table: 'signing.data_keys',
        loss: 'managed issuers cannot sign any more (KeyEncryptionKeyMissing in docs/runbooks.md)',
        command: RANDOM,
    },
    {
        setting: 'JWT_KEYS',
        file: 'jwt-key.pem',
        table: 'identity.users',
        loss: 'all sessions end',
        command: 'openssl genpkey -algorithm ed25519',
    },
];

/**
 * Returns the settings of the secrets that the user has not set. Makes those that are missing, unless the database has
 * been used with one that is lost: then it throws Problem. The settings contain paths, so that the environment of a
 * process shows no secret.
 */
export async function keptSecrets(
    { dataDir, given }: Pick<LaunchContext, 'dataDir' | 'given'>,
    databaseUrl: string,
): Promise<Environment> {
    const wanted = SECRETS.filter(({ setting }) => !isGiven(given, setting));
    const missing = wanted.filter(({ file }) => !existsSync(join(dataDir, file)));
    if (missing.length > 0) await refuseLost(missing, dataDir, databaseUrl);
    const files = wanted.map(({ setting, file }): [string, string] => {
        if (setting === 'JWT_KEYS') keptSigningKey(dataDir);
        else keptSecret(dataDir, file);
        return [`${setting}_FILE`, join(dataDir, file)];
    });
    return Object.fromEntries(files);
}

async function refuseLost(missing: readonly KeptSecret[], dataDir: string, databaseUrl: string): Promise<void> {
    await withSession(databaseUrl, { query_timeout: LOOK_TIMEOUT_MS }, async (client) => {
        const lost: KeptSecret[] = [];
        for (const secret of missing) {
            const { rows } = await client.query('SELECT to_regclass($1) AS found', [secret.table]);
            if (rows[0].found !== null) lost.push(secret);
        }
        if (lost.length > 0) throw new Problem(lost.map((secret) => refusal(secret, dataDir)).join('\n'));
    });
}

function refusal({ setting, file, loss, command }: KeptSecret, dataDir: string): string {
    const path = join(dataDir, file);
    return (
        `${path} is missing, but the database has been used with such a secret. Restore the file, or set ${setting}.\n` +
        `  If it is lost, make another one; then ${loss}: (umask 077; ${command} > '${path}')`
    );
}
