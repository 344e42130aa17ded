import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';

/**
 * Makes the secrets of this composition once, each in the volume of those that need it. What is there already is kept: the data
 * in PostgreSQL belong to it.
 */

const random = (): string => randomBytes(32).toString('base64url');

keep('postgres/password', random()); // of its superuser
const database_password = random();
keep('database/password', database_password);
keep('database/url', `postgresql://credentials:${database_password}@postgres:5432/credentials`);

const redis_password = random();
keep('redis/password', redis_password);
keep('redis/redis.conf', `requirepass ${redis_password}\n`);
keep('redis/url', `redis://:${redis_password}@redis:6379/0`);

keep('internal/secret', random());
keep('internal/previous', ''); // none, but while the secret is rotated
keep('services/token', random());
keep('signing/keys.pem', generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
keep('grafana/password', random());

/** Readable by all users, since images have different ones; a volume is mounted only where its secrets are used. */
function keep(name: string, value: string): void {
    const path = `/secrets/${name}`;
    if (!existsSync(path)) writeFileSync(path, value, { mode: 0o444 });
}
