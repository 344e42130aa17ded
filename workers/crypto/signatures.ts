import { KeyObject } from 'node:crypto';
import { encodeBase64 } from '../../platform/base64.ts';
import { coalesce } from '../../platform/batch.ts';
import type { CallLifetime } from '../../platform/context.ts';
import type { Opened, OpenRequest } from '../../tokens/open.ts';
import type { OpenedSdJwtVc, OpenSdJwtVcRequest } from '../../tokens/sd-jwt-vc.ts';
import type { PublicKey, Seed } from './ed25519.ts';
import type { P256PublicKey, P256Secret } from './es256.ts';
import { type Outcome, valueOrError } from './outcome.ts';
import type { PoolMetrics } from './pool-metrics.ts';
import type { JwsRequest, NewKey, NewP256Key, SignRequest } from './signature-jobs.ts';
import type { Answers, Job, SignatureResult } from './signatures.worker.ts';
import { startThreads } from './threads.ts';

/** `background`: the operation belongs to a batch of credentials, and gives way to single calls. */
type SignatureCall = CallLifetime & { background?: boolean };

/**
 * All operations with the keys of issuers and holders, and their tokens. Every method except close() may throw AppError
 * `unavailable`, and `deadline` or `cancelled` if the call ends while it waits.
 */
export interface Signatures {
    /** Returns a new key pair and its did:key. */
    generate(lifetime?: CallLifetime): Promise<NewKey>;
    /** Returns a new P-256 key pair and its did:key. */
    generateP256(lifetime?: CallLifetime): Promise<NewP256Key>;
    /**
     * Returns the token of a payload. Throws AppError `invalid` if the key is malformed or does not belong to the DID.
     */
    sign(request: SignRequest, lifetime?: SignatureCall): Promise<string>;
    /** Returns the JWS of a header and a payload. */
    signJws(request: JwsRequest, lifetime?: SignatureCall): Promise<string>;
    /** Verifies a token. If it is invalid, the result says so; this is not an error. */
    open(request: OpenRequest, lifetime?: SignatureCall): Promise<Opened>;
    /** Verifies a credential in the form of an SD-JWT. If it is invalid, the result says so; this is not an error. */
    openSdJwt(request: OpenSdJwtVcRequest, lifetime?: SignatureCall): Promise<OpenedSdJwtVc>;
    close(): Promise<void>;
}

/**
 * Number of operations that leave as a batch at once, maximum number in a batch, and of operations that wait. Handing
 * over a batch costs little beside the work of eight signatures, and the threads begin while the event loop prepares
 * the next ones. docs/performance.md has the measurements. Beyond it: `unavailable` if too many wait.
 */
const BATCH = { eagerBatch: 8, maxBatch: 16, maxWaiting: 4_096 };
/**
 * Batches that a thread has at a time: while it works on one, the next ones already wait for it. Beyond it: the next
 * batch waits.
 */
const BATCHES_PER_THREAD = 4;
/**
 * Batches of background operations that a thread has at a time. So a single call finds at most two of them before it,
 * however many background operations wait. Beyond it: the next batch waits.
 */
const BACKGROUND_BATCHES_PER_THREAD = BATCHES_PER_THREAD / 2;
/**
 * Largest batch, in characters of its tokens and payloads: a thread works on it for a few milliseconds. Beyond it: the
 * next batch begins.
 */
const MAX_BATCH_LENGTH = 256 << 10;

/** The length of what a thread parses, hashes and checks for this job. */
function sizeOf(job: Job): number {
    if ('payload' in job) return job.payload.length;
    return 'token' in job ? job.token.length : 0;
}

/**
 * Runs the operations on threads, in batches that grow with the load: passing a task to a thread costs about as much as
 * a signature.
 */
export function signaturePool(options: { threads: number; metrics: PoolMetrics }): Signatures {
    const threads = startThreads<Job[], Array<Outcome<SignatureResult>>>({
        name: 'signatures',
        file: './signatures.worker.ts',
        ...options,
        tasksPerThread: BATCHES_PER_THREAD,
    });
    const queue = (name: string, batchesPerThread: number) =>
        coalesce<Job, SignatureResult>({
            name,
            run: async (jobs) => (await threads.run(jobs)).map(valueOrError),
            ...BATCH,
            weight: { of: sizeOf, max: MAX_BATCH_LENGTH },
            maxInFlight: batchesPerThread * options.threads,
        });
    const foreground = queue('signatures', BATCHES_PER_THREAD);
    const background = queue('signatures_background', BACKGROUND_BATCHES_PER_THREAD);
    async function ask<Op extends Job['op']>(
        job: Extract<Job, { op: Op }>,
        lifetime?: SignatureCall,
    ): Promise<Answers[Op]> {
        const call = lifetime?.background ? background : foreground;
        return (await call(job, lifetime)) as Answers[Op]; // the worker answers each job by its op
    }
    return {
        generate: async (lifetime) => {
            const { did, secretKey } = await ask<'generate'>({ op: 'generate' }, lifetime);
            const [seed, publicKey] = halvesOf(secretKey);
            return { did, public_key: publicKey as PublicKey, seed: seed as Seed }; // as encoded by the worker
        },
        generateP256: async (lifetime) => {
            const { did, secretKey } = await ask<'generate-p256'>({ op: 'generate-p256' }, lifetime);
            const [secret, publicKey] = halvesOf(secretKey);
            return { did, public_key: publicKey as P256PublicKey, secret: secret as P256Secret }; // as above
        },
        sign: (request, lifetime) =>
            ask<'sign'>({ op: 'sign', ...request, secretKey: encodeBase64(request.secretKey) }, lifetime),
        signJws: ({ secretKey, ...request }, lifetime) => {
            const passed = secretKey instanceof KeyObject ? secretKey : encodeBase64(secretKey);
            return ask<'sign-jws'>({ op: 'sign-jws', ...request, secretKey: passed }, lifetime);
        },
        open: (request, lifetime) => ask<'open'>({ op: 'open', ...request }, lifetime),
        openSdJwt: (request, lifetime) => ask<'open-sd-jwt'>({ op: 'open-sd-jwt', ...request }, lifetime),
        close: () => threads.close(),
    };
}

/** The 32 secret bytes and the public key, each in memory of its own. */
function halvesOf(secretKey: string): [Uint8Array, Uint8Array] {
    const bytes = Buffer.from(secretKey, 'base64');
    return [new Uint8Array(bytes.subarray(0, 32)), new Uint8Array(bytes.subarray(32))];
}
