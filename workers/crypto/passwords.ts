import { encodeBase64 } from '../../platform/base64.ts';
import type { Patience } from '../../platform/context.ts';
import { AppError } from '../../platform/errors.ts';
import { inSpan, startSpan } from '../../platform/tracing.ts';
import { type Lane, lanes } from './lanes.ts';
import { type Outcome, valueOrError } from './outcome.ts';
import type { PasswordCost } from './password.ts';
import type { PasswordAnswer, PasswordAnswers, PasswordJob } from './passwords.worker.ts';
import type { PoolMetrics } from './pool-metrics.ts';
import { startThreads } from './threads.ts';

/**
 * Argon2id on its own threads, away from the event loop and from the signatures. All but close() may throw AppError
 * `unavailable`, `deadline` if the turn came too late, and `cancelled` if the client disconnected before.
 */
export interface Passwords {
    /** A PHC string. Background hashes (users that are created in batches) give way to everything else. */
    hash(password: string, options?: Patience & { background?: boolean }): Promise<string>;
    /** `rehash`: the password matches, but its hash was made at a cost other than the current one. */
    verify(phc: string, password: string, patience?: Patience): Promise<{ matches: boolean; rehash: boolean }>;
    /**
     * A key of 32 bytes, at the given cost. The caller must wipe it with fill(0) after use. AppError `internal` for a
     * salt or a cost that no key is made with.
     */
    derive(password: string, salt: Uint8Array, cost: PasswordCost, patience?: Patience): Promise<Uint8Array>;
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
    const call = lanes<PasswordJob, PasswordAnswer>({
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
    const ask = (job: PasswordJob, lane: Lane, patience: Patience): Promise<PasswordAnswer> => {
        const span = startSpan('internal', 'passwords', patience);
        return inSpan(span, () => call(job, lane, patience, span));
    };
    return {
        hash: async (password, { background = false, ...patience } = {}) => {
            const lane = background ? 'background' : 'foreground';
            const answer = await ask({ op: 'hash', password, cost }, lane, patience);
            return answer as PasswordAnswers['hash']; // the worker answers each job by its op
        },
        verify: async (phc, password, patience = {}) => {
            const answer = await ask({ op: 'verify', phc, password, cost }, 'foreground', patience);
            return answer as PasswordAnswers['verify']; // likewise
        },
        derive: async (password, salt, cost, patience = {}) => {
            // Shared memory: a key in a message would leave a copy in the thread.
            const key = new Uint8Array(new SharedArrayBuffer(DERIVED_KEY_BYTES));
            await ask({ op: 'derive', password, salt: encodeBase64(salt), cost, key }, 'foreground', patience);
            return key;
        },
        close: () => pool.close(),
    };
}
