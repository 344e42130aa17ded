import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync, hash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { pickPort } from '../../deploy/local/ports.ts';
import { ROLES } from '../../main.ts';

/** `local`: every role in each process. `grpc`: `replicas` processes per role, and the gateways beside them. */
export type Transport = 'local' | 'grpc';

/** How long a start may take, in milliseconds: on a machine with twenty times as much work as processors. */
const START_MS = 180_000;

const SERVICES = ROLES.filter((role) => role !== 'gateway');

/** A service outside of this one, and what it may call. */
const READER = {
    methods: ['/credentials.v1.CredentialsService/GetStatus', '/keys.v1.KeysService/*'],
    max_in_flight: 8,
};

export interface TestService {
    /** What the end-to-end tests find it by. */
    env: Record<string, string>;
    /** Where each process tells of itself, by host:port. */
    ops: Array<{ role: string; target: string }>;
    /** Sends SIGTERM to the process at this place of `ops`, and starts it again. Resolves when it is ready. */
    restart(index: number): Promise<void>;
    stop(): Promise<void>;
}

/** One process. */
export interface Member {
    name: string;
    args: string[];
    env: Record<string, string>;
}

/** Starts the service over one new database, Argon2id cheap, everything else as users have it. */
export async function startService(options: {
    transport: Transport;
    admin_url: string;
    database_url: string;
    redis_url: string;
    log_dir: string;
    settings?: Record<string, string>;
    /** A pooler before `database_url`, in transaction mode: the roles use it, migrations go past it. */
    pooler_url?: string | undefined;
    /** Of each role but the gateway. Default: 1. */
    replicas?: number;
    /** Default: 2. */
    gateways?: number;
}): Promise<TestService> {
    const database = `e2e_${randomBytes(4).toString('hex')}`;
    await execute(options.admin_url, `CREATE DATABASE ${database} OWNER credentials`);
    const { privateKey } = generateKeyPairSync('ed25519');
    const internal_secret = randomBytes(24).toString('base64url');
    const service_token = randomBytes(24).toString('base64url');
    const reader_token = randomBytes(24).toString('base64url');
    const in_database = (url: string): string => Object.assign(new URL(url), { pathname: `/${database}` }).href;
    const shared = {
        DATABASE_URL: in_database(options.database_url),
        REDIS_URL: options.redis_url,
        INTERNAL_SECRET: internal_secret,
        SERVICE_TOKEN: service_token,
        SERVICE_CALLERS: JSON.stringify({ reader: { ...READER, token_sha256: hash('sha256', reader_token) } }),
        JWT_KEYS: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
        ARGON2_MEMORY_KIB: '64',
        ARGON2_PASSES: '1',
        ...options.settings,
    };
    const { transport, gateways = 2, replicas = 1 } = options;
    const { members, urls, grpc } = transport === 'local' ? await together(gateways) : await apart(replicas, gateways);
    if (options.pooler_url) {
        const pooled = { DATABASE_URL: in_database(options.pooler_url), DATABASE_POOLER: 'transaction' };
        for (const { env } of members) Object.assign(env, pooled);
    }
    const ops = await giveOpsPorts(members);
    const log = (name: string) => join(options.log_dir, `${options.transport}-${name}.log`);
    const launch = ({ name, args, env }: Member): ChildProcess => {
        const output = openSync(log(name), 'a');
        // By its folder for temporary files a run finds what it has started.
        const base = { PATH: process.env['PATH'] ?? '', TMPDIR: tmpdir(), NODE_ENV: 'test' };
        return spawn(process.execPath, ['main.ts', ...args], {
            stdio: ['ignore', output, output],
            env: { ...base, ...shared, ...env },
        });
    };
    const children: ChildProcess[] = [];
    const restart = async (index: number): Promise<void> => {
        const [member, child, own] = [members[index], children[index], ops[index]];
        if (!member || !child || !own) throw new RangeError(`There is no process ${index}.`);
        await end(child);
        if (child.exitCode !== 0) throw new Error(`${member.name} ended with ${child.signalCode ?? child.exitCode}.`);
        children[index] = launch(member);
        await until(`${member.name} is ready`, () => isReady(own.target));
    };
    const stop = async (): Promise<void> => {
        await Promise.all(children.map(end));
        await execute(options.admin_url, `DROP DATABASE ${database} WITH (FORCE)`);
    };
    try {
        await once(launch({ name: 'migrate', args: ['migrate'], env: {} }), 'exit');
        const ended = members.map(async (member) => {
            const child = launch(member);
            children.push(child);
            await once(child, 'exit');
            const output = readFileSync(log(member.name), 'utf8').slice(-2_000);
            throw new Error(`${member.name} ended while it started:\n${output}`);
        });
        const started = [
            ...ops.map(({ role, target }) => until(`${role} is ready`, () => isReady(target))),
            ...urls.map((url) => until(`${url} is healthy`, () => isHealthy(`${url}/internal/health`))),
        ];
        await Promise.race([Promise.all(started), ...ended]);
        for (const end of ended) end.catch(() => {}); // later on that is no fault of the start
    } catch (error) {
        await stop();
        throw error;
    }
    return {
        env: {
            E2E_TRANSPORT: options.transport,
            E2E_URLS: urls.join(','),
            E2E_GRPC: JSON.stringify(grpc),
            E2E_INTERNAL_SECRET: internal_secret,
            E2E_SERVICE_TOKEN: service_token,
            E2E_READER_TOKEN: reader_token,
            E2E_DATABASE_URL: shared.DATABASE_URL,
            E2E_JWT_KEYS: shared.JWT_KEYS,
            E2E_LOG_DIR: options.log_dir,
        },
        ops,
        restart,
        stop,
    };
}

async function end(child: ChildProcess): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
}

/** Gives each process a port where it tells of itself. */
export async function giveOpsPorts(members: Member[]): Promise<TestService['ops']> {
    const given = [];
    for (const { args, env } of members) {
        const port = await pickPort();
        env['OPS_PORT'] = String(port);
        given.push({ role: args.join('+'), target: `127.0.0.1:${port}` });
    }
    return given;
}

async function pickPorts(count: number): Promise<number[]> {
    const ports = [];
    for (let port = 0; port < count; port++) ports.push(await pickPort());
    return ports;
}

/** `gateways` processes with every role. */
export async function together(gateways = 2) {
    const ports = await pickPorts(gateways);
    const grpc_port = await pickPort();
    const members = ports.map(
        (port, index): Member => ({
            name: `all-${index}`,
            args: ['all'],
            env: { PORT: String(port), GRPC_PORT: index === 0 ? String(grpc_port) : '0' },
        }),
    );
    const grpc = Object.fromEntries(SERVICES.map((role) => [role, `127.0.0.1:${grpc_port}`]));
    return { members, urls: ports.map((port) => `http://127.0.0.1:${port}`), grpc };
}

/** `replicas` processes of each service role, and `gateways` gateways. */
export async function apart(replicas: number, gateways = 2) {
    const addresses: Record<string, string> = {};
    const members: Member[] = [];
    const grpc: Record<string, string> = {};
    for (const role of SERVICES) {
        const targets: string[] = [];
        for (let replica = 0; replica < replicas; replica++) {
            const port = await pickPort();
            targets.push(`127.0.0.1:${port}`);
            members.push({ name: `${role}-${replica}`, args: [role], env: { GRPC_PORT: String(port) } });
        }
        grpc[role] = targets[0] as string; // there is at least one
        addresses[`${role.toUpperCase()}_ADDRESS`] = targets.join(',');
    }
    const ports = await pickPorts(gateways);
    for (const port of ports) members.push({ name: `gateway-${port}`, args: ['gateway'], env: { PORT: String(port) } });
    for (const member of members) Object.assign(member.env, addresses);
    return { members, urls: ports.map((port) => `http://127.0.0.1:${port}`), grpc };
}

/** Whether the process that tells of itself at `target` wants requests. */
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
    const give_up = performance.now() + START_MS;
    while (!(await probe())) {
        if (performance.now() > give_up) throw new Error(`It never came true that ${what}.`);
        await delay(100);
    }
}

async function execute(url: string, statement: string): Promise<void> {
    const client = new Client({ connectionString: url });
    await client.connect();
    await client.query(statement).finally(() => client.end());
}
