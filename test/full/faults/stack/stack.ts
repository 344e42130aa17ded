import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { RedisProgram } from '../../../../deploy/local/databases/redis-program.ts';
import { apart, giveOpsPorts, type Member, together } from '../../../support/members.ts';
import { type PostgresServer, postgresServer, serviceUrl } from './postgres-server.ts';
import { REDIS_PASSWORD, type RedisServer, redisServer } from './redis-server.ts';
import { type Supervised, supervise } from './supervisor.ts';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';

/** `apart`: one process per role and two gateways, over gRPC. `together`: two processes with every role. */
export type Form = 'apart' | 'together';

interface Secrets {
    internal: string;
    service: string;
}

/** The service with its own databases, and a proxy in front of each dependency. */
export interface Stack {
    dir: string;
    postgres: PostgresServer;
    redis: RedisServer;
    proxies: { postgres: TcpProxy; redis: TcpProxy; rpc: ReadonlyMap<string, TcpProxy> };
    processes: readonly Supervised[];
    gateways: readonly Supervised[];
    /** Ports of the gateways, on 127.0.0.1. */
    ports: readonly number[];
    secrets: Secrets;
    /** DATABASE_URL of the service, through the proxy. */
    databaseUrl: string;
    /** The processes of a role. */
    of(role: string): readonly Supervised[];
    /** Runs the migrations. */
    migrate(): Promise<void>;
    /** A runner of the migrations, not started yet. */
    migrator(name: string): Supervised;
    /** One more process of a role, not started yet. It gets jobs, but no calls. */
    second(role: string): Promise<Supervised>;
    /** Launches every process and resolves when all are ready. */
    launch(): Promise<void>;
}

export interface StackOptions {
    form: Form;
    /** Number of processes of each role except the gateway. */
    replicas?: number;
    settings?: Record<string, string>;
    /** Folders for PostgreSQL, Redis and the logs. By default, they are below `dir`. */
    folders?: { postgres?: string; redis?: string; logs?: string };
    /** REDIS_URL, if the scenario has its own Redis. */
    redisUrl?: string;
}

/** What the stack of a scenario needs from the run. */
export interface FaultEnvironment {
    /** The data folder that each PostgreSQL is copied from. */
    template: string;
    redisProgram: RedisProgram;
    /** Ends everything that the scenario has started. */
    closing: AsyncDisposableStack;
}

/** Cheap passwords, few threads and connections: nine processes share two cores with their load. */
const SETTINGS = {
    ARGON2_MEMORY_KIB: '64',
    ARGON2_PASSES: '1',
    DATABASE_POOL: '3',
    SIGNATURE_THREADS: '1',
    PASSWORD_THREADS: '1',
    RATE_WINDOW_SECONDS: '1',
    ANONYMOUS_LIMIT: '1000000',
    UNKNOWN_KEY_LIMIT: '1000000',
    KEY_LIMIT_ENTERPRISE: '1000000',
};

/** Starts the databases and the proxies, and prepares the processes, which launch() starts. */
export async function prepareStack(dir: string, environment: FaultEnvironment, options: StackOptions): Promise<Stack> {
    const { closing } = environment;
    const folders = { postgres: join(dir, 'postgres'), redis: join(dir, 'redis'), logs: join(dir, 'logs') };
    Object.assign(folders, options.folders);
    mkdirSync(folders.logs, { recursive: true });
    const { postgres, redis } = await startDatabases(environment, folders);
    const proxied = async (port: number): Promise<TcpProxy> => {
        const proxy = await startTcpProxy(port);
        closing.defer(() => proxy.close());
        return proxy;
    };
    const proxies = { postgres: await proxied(postgres.port), redis: await proxied(redis.port), rpc: new Map() };
    const plan = options.form === 'apart' ? await apart(options) : await together();
    if (options.form === 'apart') {
        for (const [role, proxy] of await proxyRoles(plan.members, proxied)) proxies.rpc.set(role, proxy);
    }
    const secrets = { internal: randomBytes(24).toString('base64url'), service: randomBytes(24).toString('base64url') };
    const env = serviceEnvironment({
        databaseUrl: serviceUrl(environment.template, proxies.postgres.port),
        redisUrl: options.redisUrl ?? `redis://:${REDIS_PASSWORD}@127.0.0.1:${proxies.redis.port}/0`,
        secrets,
        settings: options.settings,
    });
    const add = (member: Member, at: string): Supervised => {
        const one = supervise({ member, ops: at, env, logDir: folders.logs });
        closing.defer(async () => void (await one.end('SIGKILL')));
        return one;
    };
    const ops = await giveOpsPorts(plan.members);
    const processes = plan.members.map((member, index) => add(member, ops[index]?.target as string)); // one for each
    const migrator = (name: string): Supervised => add({ name, args: ['migrate'], env: {} }, '');
    appendFileSync(join(folders.logs, 'pids'), `postgres ${postgres.pid()}\nredis ${redis.pids().join(' ')}\n`);
    return {
        dir,
        postgres,
        redis,
        proxies,
        processes,
        gateways: processes.filter(({ role }) => role === 'gateway' || role === 'all'),
        ports: plan.urls.map((url) => Number(new URL(url).port)),
        secrets,
        databaseUrl: env.DATABASE_URL,
        of: (wanted) => processes.filter(({ role }) => role === wanted || role === 'all'),
        migrator,
        migrate: async () => runMigrations(migrator('migrate')),
        async second(role) {
            const member = twinOf(role, plan.members);
            const [at] = await giveOpsPorts([member]);
            return add(member, at?.target as string); // one member was given
        },
        async launch() {
            for (const one of processes) one.launch();
            await Promise.all(processes.map((one) => one.ready()));
        },
    };
}

/** Starts PostgreSQL and Redis, each in its folder. They end with the scenario. */
async function startDatabases(
    { template, redisProgram, closing }: FaultEnvironment,
    folders: { postgres: string; redis: string },
): Promise<{ postgres: PostgresServer; redis: RedisServer }> {
    const postgres = await postgresServer({ template, folder: folders.postgres });
    closing.defer(() => postgres.end('SIGQUIT'));
    await postgres.start();
    const redis = await redisServer({ program: redisProgram, folder: folders.redis });
    closing.defer(() => redis.end('SIGKILL'));
    await redis.start();
    return { postgres, redis };
}

/** Returns the environment that every process of the service gets. */
function serviceEnvironment({
    databaseUrl,
    redisUrl,
    secrets,
    settings,
}: {
    databaseUrl: string;
    redisUrl: string;
    secrets: Secrets;
    settings: Record<string, string> | undefined;
}) {
    return {
        ...SETTINGS,
        DATABASE_URL: databaseUrl,
        REDIS_URL: redisUrl,
        INTERNAL_SECRET: secrets.internal,
        SERVICE_TOKEN: secrets.service,
        IDEMPOTENCY_PEPPER: 'the pepper of this test',
        KEK: randomBytes(32).toString('base64'),
        JWT_KEYS: generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
        ...settings,
    };
}

async function runMigrations(runner: Supervised): Promise<void> {
    runner.launch();
    if ((await runner.ended()) !== 0) throw new Error(`The migrations failed: see ${runner.logFile}.`);
}

/** Describes one more process of a role, which gets no calls. */
function twinOf(role: string, members: readonly Member[]): Member {
    const model = members.find(({ args }) => args.includes(role));
    if (!model) throw new RangeError(`There is no role ${role}.`);
    return { ...model, name: `${role}-twin`, env: { ...model.env, GRPC_PORT: '0' } };
}

/** Puts a proxy in front of each process of each role, and makes all callers use the proxies. */
async function proxyRoles(
    members: readonly Member[],
    proxied: (port: number) => Promise<TcpProxy>,
): Promise<Map<string, TcpProxy>> {
    const proxies = new Map<string, TcpProxy>();
    const names = Object.keys(members[0]?.env ?? {}).filter((name) => name.endsWith('_ADDRESS'));
    for (const name of names) {
        const targets = (members[0]?.env[name] ?? '').split(',');
        const own = await Promise.all(targets.map((target) => proxied(Number(target.split(':')[1]))));
        for (const member of members) member.env[name] = own.map(({ port }) => `127.0.0.1:${port}`).join(',');
        const role = name.replace('_ADDRESS', '').toLowerCase();
        for (const [index, proxy] of own.entries()) proxies.set(index === 0 ? role : `${role}-${index}`, proxy);
    }
    return proxies;
}
