import { type Connection, openConnection, type Target } from './connection.ts';
import { type Expected, type LoadResult, type Tally, tally } from './tally.ts';

export interface ClosedLoopPlan {
    /** Connections are spread over them in turn. */
    targets: readonly Target[];
    connections: number;
    expected: Expected;
    /** Whether to begin with the first request again after the last. */
    repeat: boolean;
    warmup_s: number;
    seconds: number;
}

/**
 * Sends on each connection one request after the other, the next when the answer to the last has come. Counts after the
 * warm-up, until the time is over or the requests are used up.
 */
export async function closedLoop(
    plan: ClosedLoopPlan,
    requests: readonly Buffer[],
    onBegin: () => void,
): Promise<LoadResult> {
    const { targets, connections: count, expected, repeat, warmup_s, seconds } = plan;
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
    }, warmup_s * 1_000);
    const finish = setTimeout(() => counted.end(), (warmup_s + seconds) * 1_000);
    const connections = Array.from({ length: count }, (_, index) => {
        const target = targets[index % targets.length] as Target; // there is at least one
        return keepSending({ target, counted, take, onIdle });
    });
    await over;
    counted.end();
    clearTimeout(begin);
    clearTimeout(finish);
    for (const connection of connections) connection.close();
    return counted.result();
}

/** Sends on one connection until there is nothing more to send or the connection is lost; then it is idle. */
function keepSending(options: {
    target: Target;
    counted: Tally;
    take(): Buffer | undefined;
    onIdle(): void;
}): Connection {
    const { target, counted, take, onIdle } = options;
    let sent_at: number | undefined;
    const sendNext = (): void => {
        const request = take();
        if (request) {
            sent_at = performance.now();
            connection.send(request);
        } else {
            sent_at = undefined;
            counted.end();
            onIdle();
        }
    };
    const connection = openConnection({
        target,
        onAnswer(answer) {
            counted.add(answer, performance.now() - (sent_at ?? 0)); // an answer follows a request
            sendNext();
        },
        onLost(reason) {
            counted.lose(reason);
            if (sent_at !== undefined) onIdle();
        },
    });
    sendNext();
    return connection;
}
