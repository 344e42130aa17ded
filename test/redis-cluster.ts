import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { pickPort } from '../deploy/local/ports.ts';
import { findRedis, type RedisProgram } from '../deploy/local/redis-program.ts';
import { bareEnvironment } from '../deploy/local/run-program.ts';

const PASSWORD = 'of every node';
/** The last slot of each node. */
const LAST_SLOTS = [5_460, 10_922, 16_383];
/** How long the nodes may take to agree; ten times what they do on a machine that is not busy otherwise, in milliseconds. */
const START_MS = 30_000;

export interface TestCluster {
    /** Names two of the nodes. */
    url: string;
    /** A connection to each node by itself. */
    nodes: readonly Redis[];
    /** Kills a node, which forgets all but its slots, and starts it again. */
    crash(node: number): Promise<void>;
    stop(): Promise<void>;
}

/** A Redis Cluster of three nodes, each with a third of the slots, and with a password. */
export async function startRedisCluster(): Promise<TestCluster> {
    const dir = mkdtempSync(join(tmpdir(), 'redis-cluster-'));
    const program = await findRedis({ data_dir: dir, log: () => {} });
    const members = await Promise.all(LAST_SLOTS.map((_, index) => startNode(program, join(dir, String(index)))));
    const nodes = members.map(({ redis }) => redis);
    await Promise.all(
        nodes.map((node, index) => {
            const first = (LAST_SLOTS[index - 1] ?? -1) + 1;
            return node.call('CLUSTER', 'ADDSLOTSRANGE', first, LAST_SLOTS[index] ?? first);
        }),
    );
    for (const { port, bus } of members) await nodes[0]?.call('CLUSTER', 'MEET', '127.0.0.1', port, bus);
    await agreement(nodes);
    const urls = members.map(({ port }) => `redis-cluster://:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}`);
    return {
        url: urls.slice(0, 2).join(),
        nodes,
        async crash(node) {
            await members[node]?.restart();
            await agreement(nodes);
        },
        async stop() {
            await Promise.all(members.map((member) => member.stop()));
            rmSync(dir, { recursive: true });
        },
    };
}

async function startNode(program: RedisProgram, folder: string) {
    mkdirSync(folder);
    const [port, bus] = [await pickPort(), await pickPort()];
    const settings = {
        bind: '127.0.0.1',
        port,
        'cluster-enabled': 'yes',
        'cluster-port': bus,
        requirepass: `"${PASSWORD}"`,
        save: '""',
        'maxmemory-policy': 'noeviction',
    };
    const lines = Object.entries(settings).map(([name, value]) => `${name} ${value}\n`);
    writeFileSync(join(folder, 'redis.conf'), lines.join(''));
    const [path = '', ...args] = program.command;
    const launch = () =>
        spawn(path, [...args, 'redis.conf'], { cwd: folder, stdio: 'ignore', env: bareEnvironment(program.env) });
    let child = launch();
    const kill = async (): Promise<void> => {
        child.kill('SIGKILL');
        await once(child, 'exit');
    };
    const redis = new Redis({ host: '127.0.0.1', port, password: PASSWORD, maxRetriesPerRequest: null });
    redis.on('error', () => {}); // refused until it listens
    return {
        port,
        bus,
        redis,
        async restart() {
            await kill();
            child = launch();
        },
        async stop() {
            redis.disconnect();
            await kill();
        },
    };
}

/** Resolves when every node knows all slots and all others. */
async function agreement(nodes: readonly Redis[]): Promise<void> {
    const give_up = performance.now() + START_MS;
    for (;;) {
        const states = await Promise.all(nodes.map((node) => node.cluster('INFO')));
        const agreed = (state: string): boolean =>
            state.includes('cluster_state:ok') && state.includes(`cluster_known_nodes:${nodes.length}`);
        if (states.every(agreed)) return;
        if (performance.now() > give_up) throw new Error(`The nodes do not agree:\n${states.join('\n')}`);
        await delay(20);
    }
}
