import { inspect } from 'node:util';
import { type Explored, findingList } from '../finding.ts';
import { mutated } from '../mutator.ts';
import type { Random } from '../random.ts';
import type { Coverage } from './coverage.ts';
import type { Target } from './target.ts';

export interface ExploreOptions {
    random: Random;
    /** Without it every input is made from a seed. */
    coverage?: Coverage;
    /** Told of each input before it runs. */
    beginning?(input: Buffer): void;
    /** Asked after each batch. */
    isOver(inputs: number): boolean;
}

/** A longer input is no seed: all that is made from it would cost the time of many short ones. */
const MAX_SEED_BYTES = 4_096;
/** Inputs between two looks at the coverage. */
const BATCH = 64;
/** What an input may cost, whatever its length: the garbage collector and the compiler run in the same thread. */
const BASE_CPU_US = 20_000;
/** What each byte may cost beside that: the slowest parser here takes a tenth of it. */
const BYTE_CPU_US = 0.2;
/** The least of so many runs counts; what takes so many times what it may need not run again. */
const CPU_RUNS = 5;
const HOPELESS = 10;
/** Different reasons that are looked for before the target is left alone. */
const MOST_FINDINGS = 5;

/** Feeds a target with inputs until it is over; those that reach new code become seeds. */
export async function explore(target: Target, options: ExploreOptions): Promise<Explored> {
    const { random, coverage, isOver } = options;
    const corpus: Buffer[] = target.seeds.map((seed) => Buffer.from(seed as string)); // it takes bytes as well
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

/** The newest entries are tried more often than the rest: they are where something new was found. */
function someOf(corpus: readonly Buffer[], random: Random): Buffer {
    const from = random.oneIn(2) ? Math.max(0, corpus.length - 16) : 0;
    return corpus[from + random.below(corpus.length - from)] ?? Buffer.alloc(0);
}

/** One input of a batch that did what the batch did, found by halving: `does` runs a part of the batch again. */
async function pioneer(batch: readonly Buffer[], does: (part: readonly Buffer[]) => Promise<boolean>): Promise<Buffer> {
    let part = batch;
    while (part.length > 1) {
        const half = part.slice(0, part.length >> 1);
        part = (await does(half)) ? half : part.slice(half.length);
    }
    return part[0] as Buffer; // a batch is never empty
}

/** Why the input is a finding; undefined where all is as it must be. */
export async function faultOf(target: Target, input: Buffer): Promise<string | undefined> {
    try {
        const { cpu_us, check } = timed(target, input);
        await check();
        const allowed_us = BASE_CPU_US + input.length * BYTE_CPU_US;
        if (target.is_costly || cpu_us <= allowed_us) return undefined;
        let least_us = cpu_us;
        for (let runs = 1; runs < CPU_RUNS && least_us < HOPELESS * allowed_us; runs++) {
            least_us = Math.min(least_us, timed(target, input).cpu_us);
        }
        if (least_us <= allowed_us) return undefined;
        return `takes ${Math.round(least_us / 1_000)} ms of CPU for ${input.length} bytes`;
    } catch (error) {
        return inspect(error, { depth: 4 });
    }
}

function timed(target: Target, input: Buffer) {
    const before = process.threadCpuUsage();
    const check = target.run(input);
    const { user, system } = process.threadCpuUsage(before);
    return { cpu_us: user + system, check };
}
