import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

export function startChild(file: URL, nodeFlags: readonly string[] = []): ChildProcess & { pid: number } {
    const child = fork(file, { execArgv: [...nodeFlags] });
    if (child.pid === undefined) throw new Error(`${file} could not be started.`);
    return child as ChildProcess & { pid: number }; // checked above
}

/**
 * Sends a task to a process and waits for its answer. `Answer` must be the type that the process sends. Throws if the
 * process ends without an answer.
 */
export async function ask<Answer>(child: ChildProcess, task: object | string): Promise<Answer> {
    const answered = new AbortController();
    const ended = once(child, 'exit', { signal: answered.signal }).then(([code]) => {
        throw new Error(`A process of the benchmark exited with ${code}.`);
    });
    ended.catch(() => {}); // a process may end after it has answered
    child.send(task);
    const [answer] = await Promise.race([once(child, 'message'), ended]);
    answered.abort();
    return answer as Answer; // the caller knows what the process sends
}
