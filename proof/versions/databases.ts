import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { GenericContainer, type StartedTestContainer, Wait } from 'testcontainers';

/** A running database: the environment that tells test/run.ts where it is, and its version. */
export interface GivenDatabase {
    env: Record<string, string>;
    /** The version that the server itself reports. */
    version: string;
}

/** Time that a server gets to start, in milliseconds. */
const START_MS = 120_000;
/** Each test file has its own pool of connections, and so has each service. */
const MAX_CONNECTIONS = 200;

/** Starts PostgreSQL with the role and the database that the service expects. */
export async function startPostgres(image: string, closing: AsyncDisposableStack): Promise<GivenDatabase> {
    const password = randomBytes(12).toString('hex');
    const container = await new GenericContainer(image)
        .withEnvironment({ POSTGRES_PASSWORD: password })
        .withCommand(['postgres', '-c', `max_connections=${MAX_CONNECTIONS}`, '-c', 'timezone=UTC'])
        .withExposedPorts(5432)
        .withWaitStrategy(Wait.forLogMessage(/database system is ready to accept connections/))
        .withStartupTimeout(START_MS)
        .start();
    closing.defer(() => stop(container));
    const urlOf = (user: string, database: string): string =>
        `postgresql://${user}:${password}@${container.getHost()}:${container.getMappedPort(5432)}/${database}`;
    const adminUrl = urlOf('postgres', 'postgres');
    const admin = await connected(adminUrl);
    try {
        await admin.query(`CREATE ROLE credentials LOGIN PASSWORD ${admin.escapeLiteral(password)}`);
        await admin.query('CREATE DATABASE credentials OWNER credentials');
        const { rows } = await admin.query<{ server_version: string }>('SHOW server_version');
        return {
            env: { TEST_ADMIN_URL: adminUrl, TEST_DATABASE_URL: urlOf('credentials', 'credentials') },
            version: `PostgreSQL ${rows[0]?.server_version}`,
        };
    } finally {
        await admin.end();
    }
}

/** Starts Redis or Valkey with a password and without eviction. */
export async function startRedis(image: string, closing: AsyncDisposableStack): Promise<GivenDatabase> {
    const password = randomBytes(12).toString('hex');
    const server = image.includes('valkey') ? 'valkey-server' : 'redis-server';
    const settings = ['--requirepass', password, '--appendonly', 'yes', '--maxmemory-policy', 'noeviction'];
    const container = await new GenericContainer(image)
        .withCommand([server, ...settings])
        .withExposedPorts(6379)
        .withWaitStrategy(Wait.forLogMessage(/Ready to accept connections/))
        .withStartupTimeout(START_MS)
        .start();
    closing.defer(() => stop(container));
    const url = `redis://:${password}@${container.getHost()}:${container.getMappedPort(6379)}/0`;
    const client = new Redis(url, { maxRetriesPerRequest: 3 });
    try {
        const told = await client.info('server');
        const versionOf = (name: string) => new RegExp(`^${name}_version:(\\S+)`, 'm').exec(told)?.[1];
        const valkey = versionOf('valkey'); // Valkey also reports a redis_version: the one that it is compatible with
        const version = valkey ? `Valkey ${valkey}` : `Redis ${versionOf('redis')}`;
        return { env: { TEST_REDIS_URL: url }, version };
    } finally {
        client.disconnect();
    }
}

/**
 * Connects, and retries until the server accepts the connection. While the image initialises its data, a temporary
 * server logs that it is ready, too, but accepts no connections from outside.
 */
async function connected(url: string): Promise<Client> {
    const giveUp = performance.now() + START_MS;
    for (;;) {
        const client = new Client({ connectionString: url });
        try {
            await client.connect();
            return client;
        } catch (error) {
            if (performance.now() > giveUp) throw error;
            await delay(200);
        }
    }
}

async function stop(container: StartedTestContainer): Promise<void> {
    await container.stop({ timeout: 10_000, removeVolumes: true });
}
