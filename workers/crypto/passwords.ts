import { encodeBase64 } from '../../platform/base64.ts';
import type { CallLifetime } from '../../platform/context.ts';
import { AppError } from '../../platform/errors.ts';
import { inSpan, startSpan } from '../../platform/telemetry/tracing.ts';
import { type Outcome, valueOrError } from './outcome.ts';
import type { PasswordCost } from './password.ts';
import type { PasswordAnswer, PasswordAnswers, PasswordJob } from './passwords.worker.ts';
import type { PoolMetrics } from './pool-metrics.ts';
import { type Priority, priorityQueue } from './priority-queue.ts';
import { startThreads } from './threads.ts';

/**
 * Argon2id on its own threads, away from the event loop and from the signatures. All but close() may throw AppError
 * `unavailable`, `deadline` if the turn came too late, and `cancelled` if the client disconnected before.
 */
export interface Passwords {
    /** A PHC string. Background hashes (users that are created in batches) give way to everything else. */
    hash(password: string, options?: CallLifetime & { background?: boolean }): Promise<string>;
    /** `rehash`: the password matches, but its hash was made at a cost other than the current one. */
    verify(phc: string, password: string, lifetime?: CallLifetime): Promise<{ matches: boolean; rehash: boolean }>;
    /**
     * A key of 32 bytes, at the given cost. The caller must wipe it with fill(0) after use. AppError `internal` for a
     * salt or a cost that no key is made with.
     */
    derive(password: string, salt: Uint8Array, cost: PasswordCost, lifetime?: CallLifetime): Promise<Uint8Array>;
    close(): Promise<void>;
}

const DERIVED_KEY_BYTES = 32;

export interface PasswordPoolOptions {
    /** Hashes that run at a time. Each takes the memory of its cost. */
    threads: number;
    cost: PasswordCost;
    /** Calls that may wait, foreground and background each. */
    max_waiting: number;
    metrics: PoolMetrics;
}

export function passwordPool({ threads, cost, max_waiting, metrics }: PasswordPoolOptions): Passwords {
    const pool = startThreads<PasswordJob, Outcome<PasswordAnswer>>({
        name: 'passwords',
        file: './passwords.worker.ts',
        threads,
        tasks_per_thread: 1,
        metrics,
    });
    const call = priorityQueue<PasswordJob, PasswordAnswer>({
        run: async (job) => {
            const answer = valueOrError(await pool.run(job));
            if (answer instanceof AppError) throw answer;
            return answer;
        },
        name: 'passwords',
        slots: threads,
        max_waiting,
        waited: metrics.waited,
    });
    const ask = (job: PasswordJob, priority: Priority, lifetime: CallLifetime): Promise<PasswordAnswer> => {
        const span = startSpan('internal', 'passwords', lifetime);
        return inSpan(span, () => call(job, priority, lifetime, span));
    };
    return {
        hash: async (password, { background = false, ...lifetime } = {}) => {
            const priority = background ? 'background' : 'foreground';
            const answer = await ask({ op: 'hash', password, cost }, priority, lifetime);
            return answer as PasswordAnswers['hash']; // the worker answers each job by its op
        },
        verify: async (phc, password, lifetime = {}) => {
            const answer = await ask({ op: 'verify', phc, password, cost }, 'foreground', lifetime);
            return answer as PasswordAnswers['verify']; // likewise
        },
        derive: async (password, salt, cost, lifetime = {}) => {
            // Shared memory: a key in a message would leave a copy in the thread.
            const key = new Uint8Array(new SharedArrayBuffer(DERIVED_KEY_BYTES));
            await ask({ op: 'derive', password, salt: encodeBase64(salt), cost, key }, 'foreground', lifetime);
            return key;
        },
        close: () => pool.close(),
    };
}
