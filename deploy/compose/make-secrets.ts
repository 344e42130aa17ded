import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

/**
 * Creates the secrets of docker-compose.yml, each in the volume of the containers that need it. Existing secrets are
 * kept, because the data in PostgreSQL depend on them.
 */

const random = (): string => randomBytes(32).toString('base64url');

keep('postgres/password', random()); // the password of the superuser
// What is kept decides, so that a run that was cut off between two files can be repeated.
const databasePassword = keep('database/password', random());
keep('database/url', `postgresql://credentials:${databasePassword}@postgres:5432/credentials`);

const redisPassword = keep('redis/password', random());
keep('redis/redis.conf', `requirepass ${redisPassword}\n`);
keep('redis/url', `redis://:${redisPassword}@redis:6379/0`);

keep('internal/secret', random());
keep('internal/previous', ''); // empty, except while the secret is rotated
keep('services/token', random());
keep('idempotency/pepper', random());
keep('signing/keys.pem', generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
keep('kek/keys', randomBytes(32).toString('base64'));
keep('grafana/password', random());

/**
 * Writes a secret unless it exists, and returns what the file has. All users may read it, because each image has a
 * different user. A volume is mounted only into containers that use its secrets.
 */
function keep(name: string, value: string): string {
    const path = `/secrets/${name}`;
    if (!existsSync(path)) {
        writeFileSync(`${path}.new`, value, { mode: 0o444 });
        renameSync(`${path}.new`, path);
    }
    return readFileSync(path, 'utf8');
}
