import { type Answer, type Connection, openConnection, type Target } from './connection.ts';
import { DIALOGUES, type Dialogue } from './dialogue.ts';
import type { FollowUp } from './redemption.ts';
import { type Expected, type LoadResult, type Tally, tally } from './tally.ts';

export interface ClosedLoopPlan {
    /** The connections go to them in turn. */
    targets: readonly Target[];
    connections: number;
    expected: Expected;
    /** Whether to start again with the first request after the last one. */
    repeat: boolean;
    /** What follows each request, on the same connection. Default: nothing. */
    dialogue?: Dialogue;
    warmupS: number;
    seconds: number;
}

/**
 * Sends one request at a time on each connection: the next one when the last one is answered. Counts from the end of
 * the warm-up until the time is over or the requests are used up.
 */
export async function closedLoop(
    plan: ClosedLoopPlan,
    requests: readonly Buffer[],
    onBegin: () => void,
): Promise<LoadResult> {
    const { targets, connections: count, expected, repeat, dialogue, warmupS, seconds } = plan;
    const followUp = dialogue && DIALOGUES[dialogue]();
    const counted = tally(expected);
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    let next = 0;
    let idle = 0;
    const take = (): Buffer | undefined => {
        if (next === requests.length && repeat) next = 0;
        return counted.isOver() ? undefined : requests[next++];
    };
    const onIdle = (): void => {
        idle++;
        if (idle === count) end();
    };
    const begin = setTimeout(() => {
        counted.begin();
        onBegin();
    }, warmupS * 1_000);
    const finish = setTimeout(() => counted.end(), (warmupS + seconds) * 1_000);
    const connections = Array.from({ length: count }, (_, index) => {
        const target = targets[index % targets.length] as Target; // there is at least one
        return keepSending({ target, counted, take, onIdle, followUp: followUp ?? (() => undefined), expected });
    });
    await over;
    counted.end();
    clearTimeout(begin);
    clearTimeout(finish);
    for (const connection of connections) connection.close();
    return counted.result();
}

/** Sends requests, and what follows each of them, on one connection until none are left or the connection is lost. Then calls `onIdle`. */
function keepSending(options: {
    target: Target;
    counted: Tally;
    take(): Buffer | undefined;
    onIdle(): void;
    followUp: FollowUp;
    expected: Expected;
}): Connection {
    const { target, counted, take, onIdle, followUp, expected } = options;
    let sentAt: number | undefined;
    let first: Buffer = Buffer.alloc(0);
    let answers: Answer[] = [];
    const sendNext = (): void => {
        const request = take();
        if (request) {
            sentAt = performance.now();
            first = request;
            answers = [];
            connection.send(request);
        } else {
            sentAt = undefined;
            counted.end();
            onIdle();
        }
    };
    const connection = openConnection({
        target,
        onAnswer(answer) {
            answers.push(answer);
            const next = answer.status === expected.status ? followUp(first, answers) : undefined;
            if (next) return connection.send(next);
            counted.add(answer, performance.now() - (sentAt ?? 0)); // an answer follows a request
            sendNext();
        },
        onLost(reason) {
            counted.lose(reason);
            if (sentAt !== undefined) onIdle();
        },
    });
    sendNext();
    return connection;
}
