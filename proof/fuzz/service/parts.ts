import { inspect } from 'node:util';
import { type Explored, type Finding, findingList } from '../finding.ts';
import { type Random, seededRandom } from '../random.ts';
import { callPool } from './calls.ts';
import { attackExample, checkHealth, ENDPOINTS } from './examples.ts';
import { attackStream, attackUnary } from './grpc.ts';
import { checkAnswers, deliver, requestSeeds, someDelivery } from './raw-requests.ts';

/** The parts of the fuzzer that attack a running service. The E2E settings name the service. */

interface PartOptions {
    seed: number;
    /** Called repeatedly with the number of inputs so far. */
    isOver(inputs: number): boolean;
}

type Part = (options: PartOptions) => Promise<Explored>;

/** Mutants of one endpoint's example before the next endpoint has its turn. */
const RUNS_PER_TURN = 20;
/** Inputs that are sent at once. */
const AT_ONCE = 16;
/** Calls after which a new pool of values is made, because calls use up the records that the values name. */
const CALLS_PER_POOL = 800;
const MOST_FINDINGS = 5;

export const PARTS: Record<string, Part> = {
    'http-examples': async ({ seed, isOver }) => {
        const findings = findingList();
        let inputs = 0;
        for (let round = 0; !isOver(inputs) && findings.all().length < MOST_FINDINGS; round++) {
            const endpoint = ENDPOINTS[round % ENDPOINTS.length];
            if (!endpoint) break;
            try {
                await attackExample(endpoint, { runs: RUNS_PER_TURN, seed: seed + round });
                await checkHealth();
            } catch (error) {
                const input = Buffer.from(`seed ${seed + round}`);
                findings.add(findingOf(`http-examples ${endpoint.id}`, input, error));
            }
            inputs += RUNS_PER_TURN;
        }
        return { target: 'http-examples', inputs, corpus: ENDPOINTS.length, findings: findings.all() };
    },

    'http-raw': async (options) => {
        const seeds = await requestSeeds();
        return inBatches('http-raw', seeds.length, options, async (random) => {
            const delivery = someDelivery(seeds, random);
            const gateway = random.below(2);
            const input = Buffer.concat(delivery.pieces);
            return { input, check: async () => checkAnswers(await deliver(delivery, gateway), delivery.pieces) };
        });
    },

    'grpc-calls': async (options) => {
        let pool = await callPool();
        let calls = 0;
        return inBatches('grpc-calls', 1, options, async (random) => {
            if (++calls % CALLS_PER_POOL === 0) pool = await callPool();
            const { request, fault } = await attackUnary(pool, random);
            return { input: request, check: async () => raise(fault) };
        });
    },

    'grpc-frames': async (options) => {
        let pool = await callPool();
        let streams = 0;
        return inBatches('grpc-frames', 1, options, async (random) => {
            if (++streams % CALLS_PER_POOL === 0) pool = await callPool();
            const { frame, fault } = await attackStream(pool, random);
            return { input: frame, check: async () => raise(fault) };
        });
    },
};

interface Attempt {
    input: Buffer;
    /** Throws if the answer is wrong. */
    check(): Promise<void>;
}

async function inBatches(
    target: string,
    corpus: number,
    { seed, isOver }: PartOptions,
    attempt: (random: Random) => Promise<Attempt>,
): Promise<Explored> {
    const random = seededRandom(`${seed} ${target}`);
    const findings = findingList();
    let inputs = 0;
    while (!isOver(inputs) && findings.all().length < MOST_FINDINGS) {
        const batch = await Promise.all(Array.from({ length: AT_ONCE }, () => attempt(random)));
        const faults = await Promise.all(batch.map(({ input, check }) => faultOf(target, input, check)));
        for (const fault of faults) if (fault) findings.add(fault);
        inputs += batch.length;
        if (inputs % (AT_ONCE * 32) === 0) await checkHealth();
    }
    await checkHealth();
    return { target, inputs, corpus, findings: findings.all() };
}

async function faultOf(target: string, input: Buffer, check: () => Promise<void>): Promise<Finding | undefined> {
    try {
        await check();
        return undefined;
    } catch (error) {
        return findingOf(target, input, error);
    }
}

function findingOf(target: string, input: Buffer, error: unknown): Finding {
    return { target, input, reason: inspect(error, { depth: 4 }) };
}

function raise(fault: string | undefined): void {
    if (fault !== undefined) throw new Error(fault);
}
