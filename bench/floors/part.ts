import { cpuOf, type Groups } from '../proc.ts';

/** A part that is ready to be measured. */
export interface Rounds {
    /** Number of operations in one round. */
    perRound: number;
    /** Number of rounds in progress at a time. */
    inFlight: number;
    round(): unknown;
}

/** Warm-up of a part, in seconds. It is shorter than that of a service because there is little code to compile. */
const WARMUP_S = 1;

/** Returns the CPU µs per operation: of this process, and of the processes in `groups`, which work for it. */
export async function measureRounds(rounds: Rounds, seconds: number, groups: Groups): Promise<number> {
    await repeat(rounds, WARMUP_S);
    const ownBefore = process.cpuUsage();
    const othersBefore = total(cpuOf(groups));
    const operations = await repeat(rounds, seconds);
    const { user, system } = process.cpuUsage(ownBefore);
    return (user + system + (total(cpuOf(groups)) - othersBefore) * 1e6) / operations;
}

async function repeat({ perRound, inFlight, round }: Rounds, seconds: number): Promise<number> {
    const end = performance.now() + seconds * 1_000;
    let operations = 0;
    const loop = async (): Promise<void> => {
        while (performance.now() < end) {
            await round();
            operations += perRound;
        }
    };
    await Promise.all(Array.from({ length: inFlight }, loop));
    return operations;
}

function total(seconds: Record<string, number>): number {
    return Object.values(seconds).reduce((sum, value) => sum + value, 0);
}
