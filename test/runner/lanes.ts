/** Runs a task when it has a lane. Its size is the number of its files. */
export type Lanes = <Result>(size: number, task: () => Promise<Result>) => Promise<Result>;

/** At most `count` tasks run at the same time. Of those that wait, the largest one runs next. */
export function lanes(count: number): Lanes {
    const waiting: Array<{ size: number; start: () => void }> = [];
    let free = count;
    return async (size, task) => {
        if (free > 0) {
            free--;
        } else {
            await new Promise<void>((start) => {
                waiting.push({ size, start });
                waiting.sort((one, other) => other.size - one.size);
            });
        }
        try {
            return await task();
        } finally {
            const next = waiting.shift();
            if (next) next.start();
            else free++;
        }
    };
}
