import { encodeBase64 } from '../../platform/base64.ts';
import { coalesce } from '../../platform/batch.ts';
import type { Traced } from '../../platform/telemetry/span.ts';
import type { PublicKey, Seed } from './ed25519.ts';
import { type Outcome, valueOrError } from './outcome.ts';
import type { PoolMetrics } from './pool-metrics.ts';
import {
    generateKey,
    type NewKey,
    type Opened,
    type OpenRequest,
    openToken,
    type SignRequest,
    signPayload,
} from './signature-jobs.ts';
import type { Answers, Job, SignatureResult } from './signatures.worker.ts';
import { startThreads } from './threads.ts';

/** All operations with Ed25519 keys and v4.public tokens. All but close() may throw AppError `unavailable`. */
export interface Signatures {
    /** A new key pair and its did:key. */
    generate(traced?: Traced): Promise<NewKey>;
    /** The token of a payload. AppError `invalid` if the key is malformed or does not belong to the DID. */
    sign(request: SignRequest, traced?: Traced): Promise<string>;
    /** Verifies a token. A negative result is a value, not an error. */
    open(request: OpenRequest, traced?: Traced): Promise<Opened>;
    close(): Promise<void>;
}

/** In the calling thread: for tests. */
export function inlineSignatures(): Signatures {
    return {
        generate: async () => generateKey(),
        sign: async (request) => signPayload(request),
        open: async (request) => openToken(request),
        close: async () => {},
    };
}

/** On threads, in batches that grow with the load: passing a task to a thread costs about as much as a signature. */
export function signaturePool(options: { threads: number; metrics: PoolMetrics }): Signatures {
    const threads = startThreads<Job[], Array<Outcome<SignatureResult>>>({
        name: 'signatures',
        file: './signatures.worker.ts',
        ...options,
        tasks_per_thread: 2,
    });
    const call = coalesce<Job, SignatureResult>({
        name: 'signatures',
        run: async (jobs) => (await threads.run(jobs)).map(valueOrError),
        max_batch: 32,
        max_in_flight: 2 * options.threads,
        max_waiting: 4096,
    });
    async function ask<Op extends Job['op']>(job: Extract<Job, { op: Op }>, traced?: Traced): Promise<Answers[Op]> {
        return (await call(job, traced)) as Answers[Op]; // the worker answers each job according to its op
    }
    return {
        generate: async (traced) => {
            const { did, secret_key } = await ask<'generate'>({ op: 'generate' }, traced);
            const bytes = Buffer.from(secret_key, 'base64');
            const seed = new Uint8Array(bytes.subarray(0, 32)) as Seed; // as encoded by the worker
            const public_key = new Uint8Array(bytes.subarray(32)) as PublicKey; // as above
            return { did, public_key, seed };
        },
        sign: (request, traced) =>
            ask<'sign'>({ op: 'sign', ...request, secret_key: encodeBase64(request.secret_key) }, traced),
        open: (request, traced) => ask<'open'>({ op: 'open', ...request }, traced),
        close: () => threads.close(),
    };
}
