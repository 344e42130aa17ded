import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';

/** The interval between comparisons in milliseconds, and the shorter one after a failure. */
const COMPARE_EVERY_MS = 30_000;
const RETRY_MS = 1_000;
/** Readings of one comparison. The fastest reading is the most exact one. */
const READINGS = 3;
/** A slower reading is ignored, in milliseconds. */
const READING_MS = 2_000;
/**
 * If the machine's clock is further from the database's than this (ms), the process is not ready: more than the clock
 * is wrong.
 */
const MAX_OFFSET_MS = 600_000;
/** A larger correction is logged, in milliseconds. */
const NOTABLE_MS = 1_000;

/** Reads the reference clock: milliseconds since 1970. */
export type ReadTime = () => Promise<number>;

export interface Clock {
    /**
     * The database's clock in whole milliseconds since 1970, as far as it is known. Steps of the machine's own clock do
     * not matter.
     */
    now(): number;
    /**
     * Compares this clock with the reference, now and later. Resolves when a comparison has succeeded for the first
     * time.
     */
    follow(read: ReadTime): Promise<void>;
    /** Rejects with the reason why requests should go to another process. */
    check(): Promise<void>;
    stop(): void;
}

/**
 * The one clock of a process, for all times that leave it or that other processes wrote. It follows the database's
 * clock, and the machine's monotonic clock between comparisons. A reading is exact to half of its duration. A reading
 * that agrees with this clock within that changes nothing, so that the time does not jitter.
 */
export function createClock({ metrics, log }: { metrics: Metrics; log: Log }): Clock {
    /** The time when `performance.now()` was 0. */
    let origin_ms = Date.now() - performance.now();
    let is_compared = false;
    let stopped = false;
    let timer: NodeJS.Timeout | undefined;
    const exact = (): number => origin_ms + performance.now();
    const offset_ms = (): number => exact() - Date.now();
    metrics.gauge(
        'clock_offset_seconds',
        'How far the database’s clock is ahead of this machine’s. Times are corrected by it.',
        () => (is_compared ? offset_ms() / 1_000 : Number.NaN),
    );

    async function compare(read: ReadTime): Promise<void> {
        const best = await mostExact(read);
        const change_ms = best.origin_ms - origin_ms;
        if (is_compared && Math.abs(change_ms) <= best.error_ms) return;
        if (Math.abs(change_ms) > NOTABLE_MS) log.warn({ change_ms: Math.round(change_ms) }, 'clock corrected');
        origin_ms = best.origin_ms;
        is_compared = true;
    }

    return {
        now: () => Math.round(exact()),
        follow(read) {
            return new Promise((resolve) => {
                const again = async (): Promise<void> => {
                    const succeeded = await compare(read).then(
                        () => true,
                        (error: unknown) => {
                            log.warn({ err: error }, 'could not compare the clock with the database’s');
                            return false;
                        },
                    );
                    if (succeeded || stopped) resolve();
                    if (!stopped) timer = setTimeout(again, succeeded ? COMPARE_EVERY_MS : RETRY_MS).unref();
                };
                void again();
            });
        },
        async check() {
            if (!is_compared) throw new Error('the clock has not been compared with the database’s yet');
            const offset = offset_ms();
            if (Math.abs(offset) <= MAX_OFFSET_MS) return;
            const minutes = (Math.abs(offset) / 60_000).toFixed(1);
            const where = offset > 0 ? 'behind' : 'ahead of';
            throw new Error(`this machine’s clock is ${minutes} minutes ${where} the database’s, and more than 10`);
        },
        stop() {
            stopped = true;
            clearTimeout(timer);
        },
    };
}

interface Sample {
    /** The reference clock's time when `performance.now()` was 0. */
    origin_ms: number;
    /** Half of the reading's duration, which is its greatest error. */
    error_ms: number;
}

async function mostExact(read: ReadTime): Promise<Sample> {
    let best: Sample | undefined;
    for (let reading = 0; reading < READINGS; reading++) {
        const began = performance.now();
        const time = await inTime(read());
        const error_ms = (performance.now() - began) / 2;
        if (!best || error_ms < best.error_ms) best = { origin_ms: time - (began + error_ms), error_ms };
    }
    return best as Sample; // READINGS is more than 0
}

async function inTime(reading: Promise<number>): Promise<number> {
    const { promise, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new Error(`no time within ${READING_MS} ms`)), READING_MS);
    return Promise.race([reading, promise]).finally(() => clearTimeout(timer));
}
