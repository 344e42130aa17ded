/** Maximum number of deliveries that a process has under way. Beyond it: the next ones wait. */
const MAX_IN_FLIGHT = 256;
/**
 * How many of them may be to endpoints of which it is not known whether they answer: each has one at a time. So those that
 * hang leave room for the others. Beyond it: the next ones wait.
 */
const MAX_PROBES = 128;

/** The places of a process for deliveries under way. */
export interface Slots {
    /** Runs `work` when there is a place. `isProbe`: it is not known whether the endpoint answers. */
    run<Result>(isProbe: boolean, work: () => Promise<Result>): Promise<Result>;
}

export function slots(): Slots {
    const all = places(MAX_IN_FLIGHT);
    const probes = places(MAX_PROBES);
    return {
        run: (isProbe, work) => (isProbe ? probes(() => all(work)) : all(work)),
    };
}

/** Runs so many pieces of work at a time, in the order in which they came. */
function places(count: number) {
    let free = count;
    const waiting: Array<() => void> = [];
    return async <Result>(work: () => Promise<Result>): Promise<Result> => {
        if (free > 0) free--;
        else await new Promise<void>((resolve) => waiting.push(resolve));
        try {
            return await work();
        } finally {
            const next = waiting.shift();
            if (next) next();
            else free++;
        }
    };
}
