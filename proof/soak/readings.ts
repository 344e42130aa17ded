import type { Redis } from 'ioredis';
import type { Client } from 'pg';

/** Readings of a running service at one moment, summed over its processes. */
export interface Sample {
    rss_mib: number;
    heap_mib: number;
    external_mib: number;
    descriptors: number;
    redis_keys: number;
    postgres_connections: number;
}

const MIB = 1 << 20;

export interface Sources {
    /** Operations address of each process, as host:port. */
    ops: readonly string[];
    redis: Redis;
    /** A connection as the superuser. */
    db: Client;
}

export async function read({ ops, redis, db }: Sources): Promise<Sample> {
    const pages = await Promise.all(ops.map(async (target) => (await fetch(`http://${target}/metrics`)).text()));
    const sum = (metric: string): number => pages.reduce((total, page) => total + valueIn(page, metric), 0);
    const { rows } = await db.query<{ count: number }>(
        "SELECT count(*)::int AS count FROM pg_stat_activity WHERE usename = 'credentials'",
    );
    return {
        rss_mib: sum('process_resident_memory_bytes') / MIB,
        heap_mib: sum('nodejs_heap_size_used_bytes') / MIB,
        external_mib: sum('nodejs_external_memory_bytes') / MIB,
        descriptors: sum('process_open_fds'),
        redis_keys: await redis.dbsize(),
        postgres_connections: rows[0]?.count ?? 0,
    };
}

/** The value of a metric that has no labels of its own. */
function valueIn(page: string, metric: string): number {
    const [, value] = new RegExp(`^${metric}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(page) ?? [];
    if (value === undefined) throw new Error(`A process does not report ${metric}.`);
    return Number(value);
}
