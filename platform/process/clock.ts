import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';

/** Time between comparisons, in milliseconds, and the shorter time after a failed comparison. */
const COMPARE_EVERY_MS = 30_000;
const RETRY_MS = 1_000;
/** Number of readings for one comparison. The fastest reading is the most exact one. */
const READINGS = 3;
/** Time limit for a reading, in milliseconds. Beyond it: the comparison is repeated a second later. */
const READING_MS = 2_000;
/**
 * Maximum difference between the machine's clock and the database's, in milliseconds. Beyond it: the process is not
 * ready, because then not only the clock is wrong.
 */
const MAX_OFFSET_MS = 600_000;
/** A correction of more than this, in milliseconds, is logged. */
const NOTABLE_MS = 1_000;

/** Reads the reference clock: milliseconds since 1970. */
export type ReadTime = () => Promise<number>;

export interface Clock {
    /**
     * The estimated time of the database's clock, in whole milliseconds since 1970. Steps of the machine's own clock do
     * not affect it.
     */
    now(): number;
    /** Compares this clock with the reference, now and periodically. Resolves after the first successful comparison. */
    follow(read: ReadTime): Promise<void>;
    /** Rejects with the reason if requests should go to another process because of the clock. */
    check(): Promise<void>;
    stop(): void;
}

/**
 * Creates the clock of a process, for all times that it sends or stores, or compares with times of other processes. It
 * follows the database's clock; between comparisons it uses the machine's monotonic clock. The error of a reading is at
 * most half of its duration. A reading that differs from this clock by no more than its error changes nothing, so that
 * the time does not jitter.
 */
export function createClock({ metrics, log }: { metrics: Metrics; log: Log }): Clock {
    /** The time when `performance.now()` was 0. */
    let originMs = Date.now() - performance.now();
    let isCompared = false;
    let stopped = false;
    let timer: NodeJS.Timeout | undefined;
    const exact = (): number => originMs + performance.now();
    const offsetMs = (): number => exact() - Date.now();
    metrics.gauge(
        'clock_offset_seconds',
        'How far the database’s clock is ahead of this machine’s. The process corrects its times by this offset.',
        () => (isCompared ? offsetMs() / 1_000 : Number.NaN),
    );

    async function compare(read: ReadTime): Promise<void> {
        const best = await mostExact(read);
        const changeMs = best.originMs - originMs;
        if (isCompared && Math.abs(changeMs) <= best.errorMs) return;
        if (Math.abs(changeMs) > NOTABLE_MS) log.warn({ change_ms: Math.round(changeMs) }, 'clock corrected');
        originMs = best.originMs;
        isCompared = true;
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
            if (!isCompared) throw new Error('the clock has not been compared with the database’s yet');
            const offset = offsetMs();
            if (Math.abs(offset) <= MAX_OFFSET_MS) return;
            const minutes = (Math.abs(offset) / 60_000).toFixed(1);
            const where = offset > 0 ? 'behind' : 'ahead of';
            throw new Error(
                `this machine’s clock is ${minutes} minutes ${where} the database’s; at most 10 are allowed`,
            );
        },
        stop() {
            stopped = true;
            clearTimeout(timer);
        },
    };
}

interface Sample {
    /** The reference clock's time when `performance.now()` was 0. */
    originMs: number;
    /** Half of the duration of the reading, which is its maximum error. */
    errorMs: number;
}

async function mostExact(read: ReadTime): Promise<Sample> {
    let best: Sample | undefined;
    for (let reading = 0; reading < READINGS; reading++) {
        const began = performance.now();
        const time = await inTime(read());
        const errorMs = (performance.now() - began) / 2;
        if (!best || errorMs < best.errorMs) best = { originMs: time - (began + errorMs), errorMs };
    }
    return best as Sample; // READINGS is more than 0
}

async function inTime(reading: Promise<number>): Promise<number> {
    const { promise, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(
        () => reject(new Error(`the database did not return its time within ${READING_MS} ms`)),
        READING_MS,
    );
    return Promise.race([reading, promise]).finally(() => clearTimeout(timer));
}
