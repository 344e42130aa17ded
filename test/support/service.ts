import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync, hash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { authority } from './certificates.ts';
import { apart, giveOpsPorts, inherited, launched, type Member, type Shape, together } from './members.ts';
import { createDatabases, type ServiceDatabases } from './service-databases.ts';

/** `local`: every role in each process. `grpc`: `replicas` processes per role, and the gateways beside them. */
export type Transport = 'local' | 'grpc';

/**
 * Time that a start may take, in milliseconds. It is enough on a machine with twenty times as much work as processors.
 */
const START_MS = 180_000;

/** A gRPC caller from outside this service, and the methods that it may call. */
const READER = {
    methods: [
        '/credentials.v1.CredentialsService/GetStatus',
        '/credentials.v1.CredentialsService/GetStatusMany',
        '/keys.v1.KeysService/*',
    ],
    max_in_flight: 8,
};

/** How a restart ends a process. Default: SIGTERM. */
type StopSignal = 'SIGTERM' | 'SIGKILL';

export interface TestService {
    /** The environment that tells the end-to-end tests where the service is. */
    env: Record<string, string>;
    /** Operations address of each process, as host:port. */
    ops: Array<{ role: string; target: string }>;
    /** Ends the process at this index of `ops` by a signal, and starts it again. Resolves when it is ready. */
    restart(index: number, signal?: StopSignal): Promise<void>;
    /** Stops the process at this index of `ops` where it is, until it is killed. */
    freeze(index: number): void;
    stop(): Promise<void>;
}

interface ServiceOptions extends ServiceDatabases, Shape {
    transport: Transport;
    redisUrl: string;
    logDir: string;
    settings?: Record<string, string>;
    /** A pooler in front of `databaseUrl`, in transaction mode. The roles use it; migrations do not. */
    poolerUrl?: string | undefined;
    /** If given, `npm start` runs this many processes behind one port. For `local`, instead of gateways. */
    processes?: number | undefined;
}

/** Starts the service on a new database, with a cheap Argon2id and the default settings otherwise. */
export async function startService(options: ServiceOptions): Promise<TestService> {
    const { transport, databaseUrl, poolerUrl, logDir } = options;
    const databases = await createDatabases(options);
    const { settings, secrets } = sharedSettings(options, databases.at(databaseUrl));
    const { members, urls, grpc } = await planOf(options);
    if (poolerUrl) {
        const pooled = { ...databases.at(poolerUrl), DATABASE_POOLER: 'transaction' };
        for (const { env } of members) Object.assign(env, pooled);
    }
    for (const { args, env } of members) {
        const signs = args.length === 0 || args.includes('all') || args.includes('signing'); // npm start runs all roles
        if (signs && !settings['KEK_FILE']) env['KEK'] = secrets.E2E_KEK;
    }
    const ops = await giveOpsPorts(members);
    const processes = launcher(members, { settings, log: (name) => join(logDir, `${transport}-${name}.log`) });
    const stop = async (): Promise<void> => {
        await processes.end();
        await databases.drop();
    };
    try {
        if (!databases.isMigrated) await processes.migrate();
        if (options.citus) await processes.distribute();
        await processes.start([
            ...ops.map(
                ({ role, target }) =>
                    () =>
                        until(`${role} is ready`, () => isReady(target)),
            ),
            ...urls.map((url) => () => until(`${url} is healthy`, () => isHealthy(`${url}/internal/health`))),
        ]);
    } catch (error) {
        await stop();
        throw error;
    }
    const restart = async (index: number, signal: StopSignal = 'SIGTERM'): Promise<void> => {
        const own = ops[index];
        if (!own) throw new RangeError(`There is no process ${index}.`);
        await processes.restart(index, signal);
        await until(`${own.role} is ready`, () => isReady(own.target));
    };
    const places = { E2E_TRANSPORT: transport, E2E_URLS: urls.join(','), E2E_GRPC: JSON.stringify(grpc) };
    const shape = { E2E_LOG_DIR: logDir, E2E_SERVICE_PROCESSES: String(options.processes ?? 1) };
    return { env: { ...places, ...secrets, ...shape }, ops, restart, freeze: processes.freeze, stop };
}

function planOf({ transport, logDir, processes, ...shape }: ServiceOptions) {
    if (processes !== undefined) return launched(processes, logDir);
    return transport === 'local' ? together(shape.gateways) : apart(shape);
}

/** Returns the settings of all processes, and the environment that tells the tests their secrets. */
function sharedSettings({ redisUrl, settings }: ServiceOptions, databases: Record<string, string>) {
    const { privateKey } = generateKeyPairSync('ed25519');
    const internalSecret = randomBytes(24).toString('base64url');
    const serviceToken = randomBytes(24).toString('base64url');
    const pepper = randomBytes(24).toString('base64url');
    const readerToken = randomBytes(24).toString('base64url');
    const kek = settings?.['KEK'] ?? randomBytes(32).toString('base64');
    const receivers = authority('receivers of webhooks');
    const shared: Record<string, string> & { JWT_KEYS: string } = {
        ...databases,
        REDIS_URL: redisUrl,
        INTERNAL_SECRET: internalSecret,
        ...(settings?.['SERVICE_TOKEN_FILE'] ? {} : { SERVICE_TOKEN: serviceToken }),
        SERVICE_CALLERS: JSON.stringify({ reader: { ...READER, token_sha256: hash('sha256', readerToken) } }),
        IDEMPOTENCY_PEPPER: pepper,
        PUBLIC_URL: 'https://credentials.example',
        JWT_KEYS: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
        ARGON2_MEMORY_KIB: '64',
        ARGON2_PASSES: '1',
        WEBHOOK_NETWORKS: '127.0.0.0/8',
        WEBHOOK_CA: receivers.cert,
        ...settings,
    };
    const secrets = {
        E2E_INTERNAL_SECRET: internalSecret,
        E2E_SERVICE_TOKEN: serviceToken,
        E2E_READER_TOKEN: readerToken,
        ...Object.fromEntries(Object.entries(databases).map(([setting, url]) => [`E2E_${setting}`, url])),
        E2E_JWT_KEYS: shared.JWT_KEYS,
        E2E_IDEMPOTENCY_PEPPER: pepper,
        E2E_REDIS_URL: redisUrl,
        E2E_KEK: kek,
        E2E_RECEIVER: JSON.stringify(receivers.certify('receiver')),
    };
    return { settings: shared, secrets };
}

/** Runs the processes of `members`, each with a log of its own. */
function launcher(
    members: readonly Member[],
    { settings, log }: { settings: Record<string, string>; log(name: string): string },
) {
    const children: ChildProcess[] = [];
    const launch = ({ name, program = 'main.ts', args, env }: Member): ChildProcess => {
        const output = openSync(log(name), 'a');
        const base = { ...inherited(), NODE_ENV: 'test' };
        return spawn(process.execPath, [program, ...args], {
            stdio: ['ignore', output, output],
            env: { ...base, ...settings, ...env },
        });
    };
    return {
        migrate: () => once(launch({ name: 'migrate', args: ['migrate'], env: {} }), 'exit'),
        async distribute(): Promise<void> {
            const member = { name: 'distribute', program: 'deploy/citus/distribute.ts', args: [], env: {} };
            const [code] = await once(launch(member), 'exit');
            if (code !== 0) throw new Error(readFileSync(log(member.name), 'utf8'));
        },
        /** Starts all processes and waits for `probes`. Throws if a process ends before that. */
        async start(probes: ReadonlyArray<() => Promise<void>>): Promise<void> {
            const ended = members.map(async (member) => {
                const child = launch(member);
                children.push(child);
                await once(child, 'exit');
                const output = readFileSync(log(member.name), 'utf8').slice(-2_000);
                throw new Error(`${member.name} ended while it started:\n${output}`);
            });
            await Promise.race([Promise.all(probes.map((probe) => probe())), ...ended]);
            for (const end of ended) end.catch(() => {}); // a process that ends later is no failure of the start
        },
        async restart(index: number, signal: StopSignal): Promise<void> {
            const [member, child] = [members[index], children[index]];
            if (!member || !child) throw new RangeError(`There is no process ${index}.`);
            await end(child, signal);
            if (signal === 'SIGTERM' && child.exitCode !== 0)
                throw new Error(`${member.name} ended with ${child.signalCode ?? child.exitCode}.`);
            children[index] = launch(member);
        },
        freeze: (index: number): void => void children[index]?.kill('SIGSTOP'),
        end: () => Promise.all(children.map((child) => end(child, 'SIGTERM'))),
    };
}

async function end(child: ChildProcess, signal: StopSignal): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    await once(child, 'exit');
}

/** Whether the process with the operations address `target` is ready for requests. */
export function isReady(target: string): Promise<boolean> {
    return fetch(`http://${target}/readyz`).then(
        async (response) => {
            await response.text();
            return response.ok;
        },
        () => false,
    );
}

function isHealthy(url: string): Promise<boolean> {
    return fetch(url).then(
        async (response) => ((await response.json()) as { status: string }).status === 'healthy',
        () => false,
    );
}

async function until(what: string, probe: () => Promise<boolean>): Promise<void> {
    const giveUp = performance.now() + START_MS;
    while (!(await probe())) {
        if (performance.now() > giveUp) throw new Error(`Timed out waiting until ${what}.`);
        await delay(100);
    }
}
