import { until } from '../until.ts';
import { type RedisNode, redisServers } from './node.ts';

const PASSWORD = 'of every node';
const SENTINEL_PASSWORD = 'of every sentinel';

interface TestSentinels {
    /** A URL that names all sentinels. */
    url: string;
    /** The first master, and its replica. */
    nodes: readonly [RedisNode, RedisNode];
    stop(): Promise<void>;
}

/**
 * Starts a Redis with one replica and three sentinels that promote the replica after the master is silent for a second.
 */
export async function startSentinels({ tls = false } = {}): Promise<TestSentinels> {
    const servers = await redisServers({ tls });
    const shared = { requirepass: PASSWORD, masterauth: `"${PASSWORD}"`, save: '""', 'maxmemory-policy': 'noeviction' };
    const master = await servers.start(shared);
    const replica = await servers.start({ ...shared, replicaof: `127.0.0.1 ${master.port}` });
    await until('the replica has a copy', async () =>
        (await replica.redis.info('replication')).includes('master_link_status:up'),
    );
    const sentinels = await Promise.all(
        [1, 2, 3].map(() =>
            servers.startSentinel(
                { requirepass: SENTINEL_PASSWORD, 'sentinel sentinel-pass': `"${SENTINEL_PASSWORD}"` },
                [
                    `sentinel monitor main 127.0.0.1 ${master.port} 2`,
                    `sentinel auth-pass main "${PASSWORD}"`,
                    'sentinel down-after-milliseconds main 1000',
                    'sentinel failover-timeout main 5000',
                ],
            ),
        ),
    );
    for (const { redis } of sentinels) {
        await until('the sentinels know each other and the replica', async () => {
            const state = await redis.info('sentinel');
            return state.includes('slaves=1') && state.includes('sentinels=3');
        });
    }
    const hosts = sentinels.map(({ port }) => `127.0.0.1:${port}`).join();
    const access = `:${encodeURIComponent(PASSWORD)}`;
    return {
        url: `${tls ? 'rediss' : 'redis'}-sentinel://${access}@${hosts}/main?sentinel_password=${encodeURIComponent(SENTINEL_PASSWORD)}`,
        nodes: [master, replica],
        async stop() {
            await Promise.all([...sentinels, master, replica].map((node) => node.stop()));
            servers.close();
        },
    };
}
