import { closeSync, fstatSync, globSync, openSync, readFileSync, readSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { processesOf, until } from '../../test/full/process/launch/launch.ts';

/** Something that is searched, and what it is called in a report. */
export interface Haystack {
    name: string;
    bytes: Uint8Array;
}

/** Files that match a pattern. */
export function filesAt(pattern: string): Haystack[] {
    return globSync(pattern).map((name) => ({ name, bytes: readFileSync(name) }));
}

/** What each process tells of itself, by host:port. */
export async function metricsOf(targets: readonly string[]): Promise<Haystack[]> {
    return Promise.all(
        targets.flatMap((target) =>
            ['metrics', 'readyz', 'livez'].map(async (page) => {
                const response = await fetch(`http://${target}/${page}`);
                return { name: `${target}/${page}`, bytes: await response.bytes() };
            }),
        ),
    );
}

/** Each key of a Redis, with all that it holds. */
export async function redisOf(url: string): Promise<Haystack[]> {
    const redis = new Redis(url);
    try {
        const found: Haystack[] = [];
        for await (const keys of redis.scanStream({ count: 1_000 })) {
            for (const key of keys as string[]) found.push({ name: key, bytes: await contentOf(redis, key) });
        }
        return found;
    } finally {
        redis.disconnect();
    }
}

async function contentOf(redis: Redis, key: string): Promise<Buffer> {
    const type = await redis.type(key);
    const values = await readers[type]?.(redis, key);
    if (values === undefined) throw new Error(`A Redis key is of the type ${type}, which nobody reads here.`);
    return Buffer.concat([Buffer.from(key), ...values.flatMap((value) => [Buffer.from('\n'), value])]);
}

const readers: Record<string, (redis: Redis, key: string) => Promise<Buffer[]>> = {
    none: async () => [], // it has expired since
    string: async (redis, key) => [(await redis.getBuffer(key)) ?? Buffer.alloc(0)],
    list: (redis, key) => redis.lrangeBuffer(key, 0, -1),
    set: (redis, key) => redis.smembersBuffer(key),
    zset: (redis, key) => redis.zrangeBuffer(key, '0', '-1'),
    hash: async (redis, key) => Object.entries(await redis.hgetallBuffer(key)).flatMap(([f, v]) => [Buffer.from(f), v]),
    stream: async (redis, key) =>
        (await redis.xrangeBuffer(key, '-', '+')).flatMap(([id, fields]) => [id, ...fields]) as Buffer[],
};

/**
 * Notes every command that a Redis is sent, as it is shown by MONITOR, until it is asked what it has seen. A plain socket,
 * because ioredis throws if the first command arrives together with the answer to MONITOR.
 */
export async function watchRedis(url: string): Promise<() => Haystack> {
    const { hostname, port, password } = new URL(url);
    const socket = connect(Number(port), hostname);
    const read: Buffer[] = [];
    socket.on('data', (bytes) => read.push(bytes));
    socket.write(`AUTH ${password}\r\nMONITOR\r\n`);
    await until('Redis shows its commands', () => Buffer.concat(read).includes('+OK\r\n+OK\r\n'));
    return () => {
        socket.destroy();
        return { name: 'commands to Redis', bytes: Buffer.concat(read) };
    };
}

/**
 * Every row of every table of a database as text (bytea as hex), the statements that its connections ran last, and, as the
 * cluster's owner keeps them on disk, its tables, indexes and the write-ahead log with what has been deleted since.
 */
export async function databaseOf(adminUrl: string, database: string): Promise<Haystack[]> {
    const client = new Client({
        connectionString: Object.assign(new URL(adminUrl), { pathname: `/${database}` }).href,
    });
    await client.connect();
    try {
        const { rows: tables } = await client.query(`
            SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
            WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')
            UNION SELECT 'pg_stat_activity'`);
        const found: Haystack[] = [];
        for (const { name } of tables) {
            const { rows } = await client.query(`SELECT t::text AS row FROM ${name} t`);
            found.push({ name, bytes: Buffer.from(rows.map(({ row }) => row).join('\n')) });
        }
        await client.query('CHECKPOINT');
        const { rows } = await client.query(`
            SELECT current_setting('data_directory') AS folder, oid FROM pg_database WHERE datname = current_database()`);
        const { folder, oid } = rows[0];
        return [...found, ...filesAt(join(folder, 'base', String(oid), '*')), ...filesAt(join(folder, 'pg_wal', '0*'))];
    } finally {
        await client.end();
    }
}

/** What is on the heap of each process of a service's database, after a full garbage collection. */
export async function heapsOf(database: string, folder: string): Promise<Haystack[]> {
    const found: Haystack[] = [];
    for (const { pid, command } of processesOf(database)) {
        if (!command.includes('main.ts')) continue;
        process.kill(pid, 'SIGUSR2');
        const name = await until(`${command} has written its heap`, () => wholeSnapshot(folder, pid));
        found.push({ name, bytes: readFileSync(name) });
    }
    return found;
}

/** The file that a process has written its heap to, once its JSON is complete. */
function wholeSnapshot(folder: string, pid: number): string | undefined {
    const [name] = globSync(join(folder, `Heap.*.${pid}.*.heapsnapshot`));
    if (name === undefined) return undefined;
    const file = openSync(name, 'r');
    const end = Buffer.alloc(16);
    readSync(file, end, 0, end.length, Math.max(0, fstatSync(file).size - end.length));
    closeSync(file);
    return end.toString().trimEnd().endsWith(']}') ? name : undefined;
}
