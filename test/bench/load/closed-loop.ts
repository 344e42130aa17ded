import { type Connection, openConnection, type Target } from './connection.ts';
import { type LoadResult, tally } from './tally.ts';

export interface ClosedLoopPlan {
    /** Connections are spread over them in turn. */
    targets: readonly Target[];
    connections: number;
    expected_status: number;
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
    const counted = tally(plan.expected_status);
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    let next = 0;
    let in_flight = 0;
    const take = (): Buffer | undefined => {
        if (next === requests.length && plan.repeat) next = 0;
        return counted.isOver() ? undefined : requests[next++];
    };
    const settle = (): void => {
        in_flight--;
        if (in_flight === 0 && counted.isOver()) end();
    };
    const open = (index: number): Connection => {
        let sent_at: number | undefined;
        const sendNext = (): void => {
            const request = take();
            if (!request) {
                counted.end();
                return;
            }
            in_flight++;
            sent_at = performance.now();
            connection.send(request);
        };
        const connection = openConnection({
            target: plan.targets[index % plan.targets.length] as Target, // there is at least one
            onAnswer(answer) {
                counted.add(answer, performance.now() - (sent_at ?? 0)); // an answer follows a request
                sent_at = undefined;
                sendNext();
                settle();
            },
            onLost(reason) {
                counted.lose(reason);
                if (sent_at !== undefined) settle();
            },
        });
        sendNext();
        return connection;
    };
    const connections = Array.from({ length: plan.connections }, (_, index) => open(index));
    const begin = setTimeout(() => {
        counted.begin();
        onBegin();
    }, plan.warmup_s * 1_000);
    const finish = setTimeout(() => counted.end(), (plan.warmup_s + plan.seconds) * 1_000);
    await over;
    clearTimeout(begin);
    clearTimeout(finish);
    for (const connection of connections) connection.close();
    return counted.result();
}
