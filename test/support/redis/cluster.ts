import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { pickPort } from '../../../deploy/local/ports.ts';
import { type RedisNode, redisServers } from './node.ts';

const PASSWORD = 'of every node';
/** The last slot of each master. */
const LAST_SLOTS = [5_460, 10_922, 16_383];
/** Time that the nodes get to agree, in milliseconds: ten times what they need on an idle machine. */
const START_MS = 30_000;

export interface TestCluster {
    /** Names two of the nodes. */
    url: string;
    /** A direct connection to each master. */
    nodes: readonly Redis[];
    /** All nodes: the masters, then the replica of each master, if there are replicas. */
    members: readonly RedisNode[];
    /** Kills a node and starts it again. It loses all data except its slots. */
    crash(node: number): Promise<void>;
    /** Kills a master that has a replica. Resolves when the replica has taken its place and all other nodes know it. */
    failOver(master: number): Promise<void>;
    stop(): Promise<void>;
}

/** Starts a Redis Cluster with a password and three masters, each with a third of the slots and `replicas` replicas. */
export async function startRedisCluster({
    replicas = 0,
    tls = false,
}: {
    replicas?: 0 | 1;
    tls?: boolean;
} = {}): Promise<TestCluster> {
    const servers = await redisServers({ tls });
    const count = LAST_SLOTS.length * (1 + replicas);
    const started = await Promise.all(Array.from({ length: count }, () => startMember(servers.start)));
    const members = started.map(({ node }) => node);
    const masters = members.slice(0, LAST_SLOTS.length).map(({ redis }) => redis);
    await Promise.all(
        masters.map((node, index) => {
            const first = (LAST_SLOTS[index - 1] ?? -1) + 1;
            return node.call('CLUSTER', 'ADDSLOTSRANGE', first, LAST_SLOTS[index] ?? first);
        }),
    );
    const all = members.map(({ redis }) => redis);
    for (const { node, bus } of started) await masters[0]?.call('CLUSTER', 'MEET', '127.0.0.1', node.port, bus);
    await agreement(all);
    await follow(members);
    const scheme = tls ? 'rediss-cluster' : 'redis-cluster';
    const urls = members.map(({ port }) => `${scheme}://:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}`);
    return {
        url: urls.slice(0, 2).join(),
        nodes: masters,
        members,
        async crash(node) {
            await members[node]?.restart();
            await agreement(all);
        },
        async failOver(master) {
            const replica = members[LAST_SLOTS.length + master];
            if (!replica) throw new RangeError(`Master ${master} has no replica.`);
            await members[master]?.kill();
            const left = all.filter((_, index) => index !== master);
            await until('the replica is a master', async () => {
                const [role] = await replica.redis.role();
                const states = await Promise.all(left.map((node) => node.cluster('INFO')));
                return role === 'master' && states.every((state) => state.includes('cluster_state:ok'));
            });
        },
        async stop() {
            await Promise.all(members.map((member) => member.stop()));
            servers.close();
        },
    };
}

async function startMember(start: Awaited<ReturnType<typeof redisServers>>['start']) {
    const bus = await pickPort();
    const node = await start({
        'cluster-enabled': 'yes',
        'cluster-port': bus,
        'cluster-node-timeout': 2_000,
        requirepass: PASSWORD,
        masterauth: `"${PASSWORD}"`,
        save: '""',
        'maxmemory-policy': 'noeviction',
    });
    return { node, bus };
}

/** Makes each node after the masters the replica of one of them. Resolves when all replicas have a copy. */
async function follow(members: readonly RedisNode[]): Promise<void> {
    for (const [index, { redis }] of members.entries()) {
        const master = members[index - LAST_SLOTS.length];
        if (!master) continue;
        await redis.call('CLUSTER', 'REPLICATE', String(await master.redis.call('CLUSTER', 'MYID')));
        await until('the replica has a copy', async () => (await redis.info('replication')).includes('link_status:up'));
    }
}

/** Resolves when every node knows all slots and all others. */
async function agreement(nodes: readonly Redis[]): Promise<void> {
    await until('the nodes agree', async () => {
        const states = await Promise.all(nodes.map((node) => node.cluster('INFO')));
        return states.every(
            (state) => state.includes('cluster_state:ok') && state.includes(`cluster_known_nodes:${nodes.length}`),
        );
    });
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
    const giveUp = performance.now() + START_MS;
    while (!(await holds())) {
        if (performance.now() > giveUp) throw new Error(`Timed out waiting until ${what}.`);
        await delay(20);
    }
}
