import { cpuOf, type Groups } from '../proc.ts';

/** A part, ready to be measured. */
export interface Rounds {
    /** Operations in one round. */
    per_round: number;
    /** Rounds under way at once. */
    in_flight: number;
    round(): unknown;
}

/** Less than for whole services: there is little to compile. */
const WARMUP_S = 1;

/** CPU µs per operation: of this process, and of the processes that work for it. */
export async function measureRounds(rounds: Rounds, seconds: number, groups: Groups): Promise<number> {
    await repeat(rounds, WARMUP_S);
    const own_before = process.cpuUsage();
    const others_before = total(cpuOf(groups));
    const operations = await repeat(rounds, seconds);
    const { user, system } = process.cpuUsage(own_before);
    return (user + system + (total(cpuOf(groups)) - others_before) * 1e6) / operations;
}

async function repeat({ per_round, in_flight, round }: Rounds, seconds: number): Promise<number> {
    const end = performance.now() + seconds * 1_000;
    let operations = 0;
    const loop = async (): Promise<void> => {
        while (performance.now() < end) {
            await round();
            operations += per_round;
        }
    };
    await Promise.all(Array.from({ length: in_flight }, loop));
    return operations;
}

function total(seconds: Record<string, number>): number {
    return Object.values(seconds).reduce((sum, value) => sum + value, 0);
}
