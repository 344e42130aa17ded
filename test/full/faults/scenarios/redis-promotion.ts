import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startRedisCluster, type TestCluster } from '../../../support/redis/cluster.ts';
import type { Scenario, Trial } from '../scenario.ts';
import { until } from '../stack/proc.ts';
import { defaultSettings, REDIS_PASSWORD, type RedisServer, redisServer } from '../stack/redis-server.ts';
import type { FaultEnvironment } from '../stack/stack.ts';

const SENTINELS = 3;
const PROMOTED_MS = 30_000;

/** Redis with a primary, its replica and three Sentinels. The primary is killed. */
function sentinel(): Scenario {
    let primary: RedisServer | undefined;
    let watchers: RedisServer[] = [];

    async function prepare(dir: string, { redisProgram: program, closing }: FaultEnvironment) {
        const started = async (name: string, options: Partial<Parameters<typeof redisServer>[0]>) => {
            const server = await redisServer({ program, folder: join(dir, name), ...options });
            closing.defer(() => server.end('SIGKILL'));
            await server.start();
            return server;
        };
        primary = await started('primary', {});
        const { port } = primary;
        await started('replica', { settings: [...defaultSettings(), ['replicaof', `127.0.0.1 ${port}`]] });
        const settings = [
            ['sentinel monitor', `primary 127.0.0.1 ${port} 2`],
            ['sentinel auth-pass', `primary ${REDIS_PASSWORD}`],
            ['sentinel down-after-milliseconds', 'primary 1000'],
            ['sentinel failover-timeout', 'primary 5000'],
        ] as const;
        const names = Array.from({ length: SENTINELS }, (_, index) => `sentinel-${index}`);
        watchers = await Promise.all(names.map((name) => started(name, { args: ['--sentinel'], settings })));
        await until('the Sentinels know the replica', PROMOTED_MS, async () => {
            const known = await Promise.all(watchers.map((one) => one.command('SENTINEL', 'REPLICAS', 'primary')));
            return known.every((replicas) => (replicas as unknown[]).length === 1); // a list
        });
        const hosts = watchers.map((one) => `127.0.0.1:${one.port}`).join();
        return { redisUrl: `redis-sentinel://:${REDIS_PASSWORD}@${hosts}/primary` };
    }

    async function run({ scaled, recovered }: Trial): Promise<void> {
        const [watcher] = watchers;
        if (!primary || !watcher) return;
        const addressed = async (): Promise<string> =>
            String(await watcher.command('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'primary'));
        const before = await addressed();
        await delay(scaled(3_000));
        await primary.end('SIGKILL');
        await until('the replica is promoted', PROMOTED_MS, async () => (await addressed()) !== before);
        await recovered('the promotion', performance.now(), undefined, 'revoke-key');
        await delay(scaled(5_000));
    }

    return { id: 'F20', fault: 'Redis behind Sentinel: its replica is promoted', form: 'apart', prepare, run };
}

/** A Redis Cluster. One of its masters, which has a replica, is killed. */
function cluster(): Scenario {
    let redis: TestCluster | undefined;
    return {
        id: 'F20',
        fault: 'Redis Cluster: a replica is promoted',
        form: 'apart',
        async prepare(_dir, { closing }) {
            const started = await startRedisCluster({ replicas: 1 });
            closing.defer(() => started.stop());
            redis = started;
            return { redisUrl: started.url, settings: { REDIS_SHARDS: '16' } };
        },
        async run({ scaled, recovered }) {
            await delay(scaled(3_000));
            await redis?.failOver(0);
            await recovered('the promotion', performance.now(), undefined, 'revoke-key');
            await delay(scaled(5_000));
        },
    };
}

export const redisPromotion: readonly Scenario[] = [sentinel(), cluster()];
