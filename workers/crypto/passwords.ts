import { encodeBase64 } from '../../platform/base64.ts';
import type { Caller, CallLifetime } from '../../platform/context.ts';
import { AppError } from '../../platform/errors.ts';
import { inSpan, startSpan } from '../../platform/telemetry/tracing.ts';
import { type Outcome, valueOrError } from './outcome.ts';
import type { PasswordCost } from './password.ts';
import type { PasswordAnswer, PasswordAnswers, PasswordJob } from './passwords.worker.ts';
import type { PoolMetrics } from './pool-metrics.ts';
import { priorityQueue } from './priority-queue.ts';
import { startThreads } from './threads.ts';

/** The call that needs a password, and its caller. */
type PasswordCall = CallLifetime &
    Caller & {
        /** Background jobs (users that are created in bulk) give way to all other jobs. */
        background?: boolean;
    };

/**
 * Argon2id on its own threads, apart from the event loop and the signatures. Every method except close() may throw
 * AppError `unavailable`, `deadline` if the deadline passes before the job starts, and `cancelled` if the client
 * disconnects before that.
 */
export interface Passwords {
    /** Returns a PHC string. */
    hash(password: string, call?: PasswordCall): Promise<string>;
    /**
     * `matches`: the password is right. `rehash`: it is right, but its hash was made at a cost other than the current
     * one.
     */
    verify(phc: string, password: string, call?: PasswordCall): Promise<{ matches: boolean; rehash: boolean }>;
    /**
     * Derives a key of 32 bytes at the given cost. The caller must wipe it with fill(0) after use. Throws AppError
     * `internal` if the salt or the cost cannot belong to a key of this service.
     */
    derive(password: string, salt: Uint8Array, cost: PasswordCost, call?: PasswordCall): Promise<Uint8Array>;
    close(): Promise<void>;
}

const DERIVED_KEY_BYTES = 32;

export interface PasswordPoolOptions {
    /** Number of hashes that run at a time. Each uses the memory of its cost. */
    threads: number;
    cost: PasswordCost;
    /** Maximum number of calls that wait, for foreground and for background separately. */
    maxWaiting: number;
    metrics: PoolMetrics;
}

export function passwordPool({ threads, cost, maxWaiting, metrics }: PasswordPoolOptions): Passwords {
    const pool = startThreads<PasswordJob, Outcome<PasswordAnswer>>({
        name: 'passwords',
        file: './passwords.worker.ts',
        threads,
        tasksPerThread: 1,
        metrics,
    });
    const queue = priorityQueue<PasswordJob, PasswordAnswer>({
        run: async (job) => {
            const answer = valueOrError(await pool.run(job));
            if (answer instanceof AppError) throw answer;
            return answer;
        },
        name: 'passwords',
        slots: threads,
        maxWaiting,
        waited: metrics.waited,
    });
    const ask = (job: PasswordJob, { background, ...call }: PasswordCall): Promise<PasswordAnswer> => {
        const priority = background ? 'background' : 'foreground';
        const span = startSpan('internal', 'passwords', call);
        return inSpan(span, () => queue(job, priority, call, span));
    };
    return {
        hash: async (password, call = {}) => {
            const answer = await ask({ op: 'hash', password, cost }, call);
            return answer as PasswordAnswers['hash']; // the worker answers each job by its op
        },
        verify: async (phc, password, call = {}) => {
            const answer = await ask({ op: 'verify', phc, password, cost }, call);
            return answer as PasswordAnswers['verify']; // as above
        },
        derive: async (password, salt, cost, call = {}) => {
            // Shared memory, because a key in a message would leave a copy in the thread.
            const key = new Uint8Array(new SharedArrayBuffer(DERIVED_KEY_BYTES));
            await ask({ op: 'derive', password, salt: encodeBase64(salt), cost, key }, call);
            return key;
        },
        close: () => pool.close(),
    };
}
