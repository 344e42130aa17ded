import { setTimeout as delay } from 'node:timers/promises';
import { countSetting } from './count-setting.ts';
import type { LaunchContext } from './prepare.ts';
import { Problem } from './problem.ts';

/** READY_SECONDS, if it is not set. A start takes a few seconds, and minutes on a machine that has much else to do. */
const READY_SECONDS = 180;
const MOST_SECONDS = 3_600;
/** A start that takes longer than this says what it waits for, and says it again when that changes, in milliseconds. */
const SAY_AFTER_MS = 10_000;
/** Time limit for an answer of a process, in milliseconds. It is shorter than the limit of the probes, which is 2 s. */
const ANSWER_MS = 1_500;
/** How often a process that answers is asked whether it still does, in milliseconds. */
const ASK_EVERY_MS = 1_000;
/**
 * How long a process that was ready may leave the question unanswered whether it is alive, in milliseconds. Beyond it: it
 * is killed, and started again.
 */
export const HUNG_MS = 10_000;

/** A process, by its name, the base URL of its operations port and the file of its log. */
export interface Watched {
    name: string;
    ops: string;
    log: string;
}

/** How long a start waits until its processes are ready, in seconds. Throws Problem. */
export function readySeconds({ given }: Pick<LaunchContext, 'given'>): number {
    return countSetting(given, 'READY_SECONDS', READY_SECONDS, MOST_SECONDS);
}

/**
 * Waits until all processes are ready. Throws Problem, with the reasons that they give, if that takes too long, and the
 * reason of `signal` if it is aborted.
 */
export async function untilReady(
    processes: readonly Watched[],
    { signal, seconds }: { signal: AbortSignal; seconds: number },
): Promise<void> {
    const began = performance.now();
    let said = '';
    for (let waiting = processes; ; await delay(50)) {
        signal.throwIfAborted();
        const answers = await Promise.all(waiting.map(({ ops }) => ask(`${ops}/readyz`)));
        signal.throwIfAborted(); // whoever aborts need not stop a process that becomes ready meanwhile
        const states = waiting.map((process, index) => described(process, answers[index]?.text));
        const unready = states.filter((_, index) => !answers[index]?.ok);
        waiting = waiting.filter((_, index) => !answers[index]?.ok);
        if (waiting.length === 0) return;
        const waitedMs = performance.now() - began;
        if (waitedMs > seconds * 1_000) {
            const hint = 'A slow machine may need a larger READY_SECONDS.';
            throw new Problem(`Not ready after ${seconds} s. ${hint}\n${unready.join('\n')}`);
        }
        const text = `Not ready yet:\n${unready.join('\n')}`;
        if (waitedMs > SAY_AFTER_MS && text !== said) console.log(text);
        if (waitedMs > SAY_AFTER_MS) said = text;
    }
}

/**
 * Waits until a process that was ready once hangs: it leaves `/livez` unanswered for `HUNG_MS`. Returns false when `over`
 * is aborted. A question counts only if it had its time and no more: if nobody listens, the process has ended or drains,
 * and if it took much longer, this event loop was late itself and may have missed the answer.
 */
export async function untilHung(ops: string, over: AbortSignal): Promise<boolean> {
    const pause = (): Promise<unknown> => delay(ASK_EVERY_MS, undefined, { signal: over }).catch(() => undefined);
    while (!over.aborted && !(await ask(`${ops}/readyz`))?.ok) await pause();
    for (let unansweredMs = 0; !over.aborted && unansweredMs < HUNG_MS; ) {
        const askedAt = performance.now();
        const answer = await ask(`${ops}/livez`);
        const tookMs = performance.now() - askedAt;
        if (answer) unansweredMs = 0;
        if (answer || tookMs < ANSWER_MS) await pause();
        else if (tookMs < 1.5 * ANSWER_MS) unansweredMs += ANSWER_MS;
    }
    return !over.aborted;
}

/** Says why a process is not ready, as `/readyz` does. */
function described({ name, log }: Watched, text: string | undefined): string {
    const [, ...reasons] = text?.trim().split('\n') ?? [];
    const reason = reasons.length > 0 ? reasons.join('; ') : 'it does not answer yet';
    return `  ${name}: ${reason} (log: ${log})`;
}

/** Returns what a process answers at its operations port, or undefined if it is starting, has ended or hangs. */
export async function ask(url: string): Promise<{ ok: boolean; text: string } | undefined> {
    try {
        const answer = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) });
        return { ok: answer.ok, text: await answer.text() };
    } catch {
        return undefined;
    }
}
