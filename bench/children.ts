import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

export function startChild(file: URL, node_flags: readonly string[] = []): ChildProcess & { pid: number } {
    const child = fork(file, { execArgv: [...node_flags] });
    if (child.pid === undefined) throw new Error(`${file} could not be started.`);
    return child as ChildProcess & { pid: number }; // see above
}

/** Sends a process its task and waits for its answer, whose type is what that process sends. */
export async function ask<Answer>(child: ChildProcess, task: object | string): Promise<Answer> {
    const answered = new AbortController();
    const ended = once(child, 'exit', { signal: answered.signal }).then(([code]) => {
        throw new Error(`A process of the bench ended with ${code}.`);
    });
    ended.catch(() => {}); // once it has answered it may be stopped
    child.send(task);
    const [answer] = await Promise.race([once(child, 'message'), ended]);
    answered.abort();
    return answer as Answer; // see above
}
