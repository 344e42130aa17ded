import { parentPort, workerData } from 'node:worker_threads';
import { seededRandom } from '../random.ts';
import { targetNamed } from '../targets/index.ts';
import { startCoverage } from './coverage.ts';
import { explore } from './explore.ts';

/** The thread that runs the parsers. The main thread detects inputs that hang (watched.ts). */

/** The task of the thread. */
export interface Work {
    target: string;
    seed: number;
    seconds: number;
    /** The number of the current input and its length, each as an Int32, then the bytes of the input. */
    shared: SharedArrayBuffer;
}

/** Length of the part of `shared` before the bytes of the input. */
export const HEAD_BYTES = 8;

if (parentPort) {
    const { target: name, seed, seconds, shared } = workerData as Work; // as parsers/watched.ts sets it
    const target = targetNamed(name);
    const head = new Int32Array(shared, 0, 2);
    const place = new Uint8Array(shared, HEAD_BYTES);
    const until = performance.now() + seconds * 1_000;
    const coverage = startCoverage(['/test/']);
    const result = await explore(target, {
        random: seededRandom(`${seed} ${name}`),
        coverage,
        beginning(input) {
            place.set(input.subarray(0, place.length));
            Atomics.store(head, 1, input.length);
            Atomics.add(head, 0, 1);
        },
        isOver: () => performance.now() >= until,
    });
    coverage.stop();
    parentPort.postMessage(result);
}
