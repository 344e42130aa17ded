import { z } from 'zod';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Readiness } from '../telemetry/readiness.ts';
import { type Database, sql } from './db.ts';

/** Time between measurements, in milliseconds, and the shorter time after a failed measurement. */
const MEASURE_EVERY_MS = 30_000;
const RETRY_MS = 1_000;
/**
 * Maximum difference between the machine's clock and the database's, in milliseconds. Beyond it: the process is not
 * ready.
 */
const MAX_OFFSET_MS = 5_000;

const timeRow = z.strictObject({ now_ms: z.number() });

/** Returns the time of the database's clock, in milliseconds since 1970. */
export async function databaseTime(db: Database): Promise<number> {
    const [row] = await db.rows(
        sql.type(timeRow)`SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now_ms`,
    );
    return (row as z.infer<typeof timeRow>).now_ms; // SELECT without FROM returns one row
}

/**
 * Measures how far the database's clock is ahead of this machine's, now and every 30 s, and exports it. Nothing is
 * corrected: a process whose clock is wrong is not ready. `read` returns the time of the database's clock. Returns a
 * function that ends the measurements.
 */
export function measureClock(
    read: () => Promise<number>,
    { metrics, log, readiness }: { metrics: Metrics; log: Log; readiness: Pick<Readiness, 'addCheck'> },
): () => void {
    let offsetMs: number | undefined;
    let timer: NodeJS.Timeout | undefined;
    let stopped = false;
    metrics.gauge('clock_offset_seconds', 'How far the database’s clock is ahead of this machine’s.', () =>
        offsetMs === undefined ? Number.NaN : offsetMs / 1_000,
    );
    readiness.addCheck('clock', async () => {
        if (offsetMs === undefined) throw new Error('the clock has not been compared with the database’s yet');
        if (Math.abs(offsetMs) <= MAX_OFFSET_MS) return;
        const seconds = (Math.abs(offsetMs) / 1_000).toFixed(1);
        const where = offsetMs > 0 ? 'behind' : 'ahead of';
        throw new Error(
            `this machine’s clock is ${seconds} s ${where} the database’s; at most ${MAX_OFFSET_MS / 1_000} are allowed`,
        );
    });

    async function measure(): Promise<void> {
        let next = MEASURE_EVERY_MS;
        try {
            const began = performance.now();
            const time = await read();
            // The clock was read in the middle of the round trip, give or take half of it.
            offsetMs = time + (performance.now() - began) / 2 - Date.now();
        } catch (error) {
            next = RETRY_MS;
            if (!stopped) log.warn({ err: error }, 'could not compare the clock with the database’s');
        }
        if (!stopped) timer = setTimeout(measure, next).unref();
    }
    void measure();
    return () => {
        stopped = true;
        clearTimeout(timer);
    };
}
