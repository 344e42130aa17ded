import { Worker } from 'node:worker_threads';
import type { Explored } from '../finding.ts';
import type { Target } from './target.ts';
import { HEAD_BYTES, type Work } from './worker.ts';

/**
 * Time after which an input counts as hanging, in milliseconds. The slowest allowed input takes half a second of CPU.
 */
const HANG_MS = 30_000;

/** Explores a target in its own thread, and terminates the thread if an input hangs. */
export async function exploreWatched(
    target: Target,
    { seed, seconds }: { seed: number; seconds: number },
): Promise<Explored> {
    const shared = new SharedArrayBuffer(HEAD_BYTES + target.maxBytes);
    const head = new Int32Array(shared, 0, 2);
    const workerData: Work = { target: target.name, seed, seconds, shared };
    const worker = new Worker(new URL('worker.ts', import.meta.url), { workerData });
    const { promise, resolve, reject } = Promise.withResolvers<Explored>();
    const input = (): Buffer => Buffer.from(Buffer.from(shared, HEAD_BYTES, Atomics.load(head, 1)));
    const failed = (reason: string): Explored => ({
        target: target.name,
        inputs: Atomics.load(head, 0),
        corpus: 0,
        findings: [{ target: target.name, input: input(), reason }],
    });
    worker.once('message', resolve);
    worker.once('error', (error) => resolve(failed(`crashes its thread: ${error.stack}`)));
    worker.once('exit', (code) => reject(new Error(`The thread of ${target.name} ended with ${code}.`)));
    let last = -1;
    const watch = setInterval(() => {
        const current = Atomics.load(head, 0);
        if (current === last && current > 0) resolve(failed(`does not return within ${HANG_MS / 1_000} s`));
        last = current;
    }, HANG_MS);
    try {
        const explored = await promise;
        // A Buffer arrives from another thread as a plain Uint8Array.
        const findings = explored.findings.map((finding) => ({ ...finding, input: Buffer.from(finding.input) }));
        return { ...explored, findings };
    } finally {
        clearInterval(watch);
        await worker.terminate();
    }
}
