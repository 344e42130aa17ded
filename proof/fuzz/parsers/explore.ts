import { inspect } from 'node:util';
import { type Explored, findingList } from '../finding.ts';
import { mutated } from '../mutator.ts';
import type { Random } from '../random.ts';
import type { Coverage } from './coverage.ts';
import type { Target } from './target.ts';

interface ExploreOptions {
    random: Random;
    /** If it is missing, every input is made from the target's own seeds. */
    coverage?: Coverage;
    /** Called with each input before it runs. */
    beginning?(input: Buffer): void;
    /** Called before each batch with the number of inputs so far. */
    isOver(inputs: number): boolean;
}

/** Longest input that becomes a seed, in bytes. An input made from a longer one takes the time of many short ones. */
const MAX_SEED_BYTES = 4_096;
/** Inputs between two reads of the coverage. */
const BATCH = 64;
/**
 * CPU time that an input of any length may take, in microseconds. The garbage collector and the compiler, which run in
 * the same thread, need it.
 */
const BASE_CPU_US = 20_000;
/** Additional CPU time for each byte, in microseconds. The slowest parser here takes a tenth of it. */
const BYTE_CPU_US = 0.2;
/** Runs of an input that exceeds its CPU time. The fastest run counts. */
const CPU_RUNS = 5;
/** An input that takes this many times its CPU time does not run again. */
const HOPELESS = 10;
/** Number of findings after which the fuzzer stops exploring a target. */
const MOST_FINDINGS = 5;

/** Runs a target on inputs until `isOver`. Inputs that reach new code become seeds. */
export async function explore(target: Target, options: ExploreOptions): Promise<Explored> {
    const { random, coverage, isOver } = options;
    const corpus: Buffer[] = target.seeds.map((seed) => Buffer.from(seed as string)); // Buffer.from takes bytes as well
    const findings = findingList();
    let inputs = 0;
    const run = async (input: Buffer): Promise<void> => {
        options.beginning?.(input);
        const reason = await faultOf(target, input);
        if (reason !== undefined) findings.add({ target: target.name, input, reason });
    };
    const runAll = async (batch: readonly Buffer[]): Promise<void> => {
        for (const input of batch) await run(input);
    };
    await runAll(corpus);
    coverage?.newBlocks();
    while (!isOver(inputs) && findings.all().length < MOST_FINDINGS) {
        const batch = Array.from({ length: BATCH }, () =>
            mutated(someOf(corpus, random), someOf(corpus, random), { ...target, random }),
        );
        await runAll(batch);
        inputs += batch.length;
        const blocks = coverage?.newBlocks();
        if (!coverage || !blocks || blocks.size === 0) continue;
        const found = await pioneer(batch, (half) => runAll(half).then(() => coverage.hasRun(blocks)));
        if (found.length <= MAX_SEED_BYTES) corpus.push(found);
    }
    return { target: target.name, inputs, corpus: corpus.length, findings: findings.all() };
}

/** Picks an entry, the newest ones more often than the rest, because they reached new code. */
function someOf(corpus: readonly Buffer[], random: Random): Buffer {
    const from = random.oneIn(2) ? Math.max(0, corpus.length - 16) : 0;
    return corpus[from + random.below(corpus.length - from)] ?? Buffer.alloc(0);
}

/**
 * Bisects a batch that reached new code and returns one input that reaches it. `does` runs a part of the batch again
 * and tells whether that part reached the new code.
 */
async function pioneer(batch: readonly Buffer[], does: (part: readonly Buffer[]) => Promise<boolean>): Promise<Buffer> {
    let part = batch;
    while (part.length > 1) {
        const half = part.slice(0, part.length >> 1);
        part = (await does(half)) ? half : part.slice(half.length);
    }
    return part[0] as Buffer; // a batch is never empty
}

/** The reason why the input is a finding. Undefined if it is none. */
export async function faultOf(target: Target, input: Buffer): Promise<string | undefined> {
    try {
        const { cpuUs, check } = timed(target, input);
        await check();
        const allowedUs = BASE_CPU_US + input.length * BYTE_CPU_US;
        if (target.isCostly || cpuUs <= allowedUs) return undefined;
        let leastUs = cpuUs;
        for (let runs = 1; runs < CPU_RUNS && leastUs < HOPELESS * allowedUs; runs++) {
            leastUs = Math.min(leastUs, timed(target, input).cpuUs);
        }
        if (leastUs <= allowedUs) return undefined;
        return `takes ${Math.round(leastUs / 1_000)} ms of CPU for ${input.length} bytes`;
    } catch (error) {
        return inspect(error, { depth: 4 });
    }
}

function timed(target: Target, input: Buffer) {
    const before = process.threadCpuUsage();
    const check = target.run(input);
    const { user, system } = process.threadCpuUsage(before);
    return { cpuUs: user + system, check };
}
