import { type Latency, latencyOf } from '../percentiles.ts';
import { type Connection, openConnection, type Target } from './connection.ts';

export interface OpenLoopPlan {
    targets: readonly Target[];
    /** Requests per second, whatever becomes of them. */
    rate: number;
    /** At most so many requests are under way; what is due beyond waits, and its wait counts. */
    connections: number;
    warmup_s: number;
    seconds: number;
}

export interface Answers {
    /** To what was due in the counted time, whenever they came. */
    count: number;
    /** Of those: from when a request was due to when its answer was there. */
    latency: Latency;
    /** How many came in the counted time, whenever the request was due. */
    in_time: number;
}

export interface OpenLoopResult {
    seconds: number;
    /** Due in the counted time. */
    offered: number;
    /** By status. */
    answers: Record<string, Answers>;
    /** What was due at any time, and never answered. */
    lost: number;
}

/** What is still under way this long after the last request was due is given up, in milliseconds. */
const TIMEOUT_MS = 15_000;

interface Lane {
    connection: Connection;
    /** When the request that it waits for the answer of was due, by `performance.now()`; undefined while it is free. */
    due_at: number | undefined;
    /** Whether that was after the warm-up. */
    counts: boolean;
}

/** Sends requests when they are due, on whichever connection is free, and begins with the first again after the last. */
export async function openLoop(
    plan: OpenLoopPlan,
    requests: readonly Buffer[],
    onBegin: () => void,
): Promise<OpenLoopResult> {
    const { rate, warmup_s, seconds } = plan;
    const began = performance.now();
    const first_counted = Math.round(warmup_s * rate);
    const all = Math.round((warmup_s + seconds) * rate);
    const counts_from = began + warmup_s * 1_000;
    const counts_until = counts_from + seconds * 1_000;
    const counted = answerCounts();
    const pool = lanePool(plan, (lane, status, due_at) => {
        const now = performance.now();
        counted.add(status, {
            latency_ms: lane.counts ? now - due_at : undefined,
            in_time: now >= counts_from && now < counts_until,
        });
        send();
    });
    let due = 0;
    let next = 0;
    function send(): void {
        while (next < due) {
            const lane = pool.take();
            if (!lane) return;
            lane.due_at = began + (next / rate) * 1_000;
            lane.counts = next >= first_counted;
            lane.connection.send(requests[next++ % requests.length] as Buffer); // there are some
        }
    }
    const begin = setTimeout(onBegin, warmup_s * 1_000);
    await everyMillisecondUntil(counts_until, (now) => {
        due = Math.min(all, Math.ceil(((now - began) / 1_000) * rate));
        send();
        return counted.all() === due;
    });
    clearTimeout(begin);
    pool.close();
    return { seconds, offered: due - first_counted, answers: counted.byStatus(), lost: due - counted.all() };
}

/** Connections that are opened when they are needed: a server gives up those on which nothing is asked. */
function lanePool(
    { targets, connections }: OpenLoopPlan,
    onAnswer: (lane: Lane, status: number, due_at: number) => void,
): { take(): Lane | undefined; close(): void } {
    const free: Lane[] = [];
    const open = new Set<Lane>();
    const openLane = (): Lane => {
        const lane: Lane = {
            due_at: undefined,
            counts: false,
            connection: openConnection({
                target: targets[open.size % targets.length] as Target, // there is at least one
                onAnswer({ status }) {
                    const { due_at } = lane;
                    lane.due_at = undefined;
                    if (due_at === undefined) return; // the server's farewell to a connection that was idle
                    free.push(lane);
                    onAnswer(lane, status, due_at);
                },
                onLost: () => open.delete(lane), // what it had sent stays unanswered
            }),
        };
        open.add(lane);
        return lane;
    };
    return {
        take() {
            for (let lane = free.pop(); lane; lane = free.pop()) if (open.has(lane)) return lane;
            return open.size < connections ? openLane() : undefined;
        },
        close() {
            for (const { connection } of open) connection.close();
        },
    };
}

/** Counts all answers, and by status those that come with a latency and those that come in time. */
function answerCounts() {
    const by_status = new Map<number, { latencies: number[]; in_time: number }>();
    let all = 0;
    return {
        all: () => all,
        add(status: number, { latency_ms, in_time }: { latency_ms: number | undefined; in_time: boolean }): void {
            all++;
            const counts = by_status.get(status) ?? { latencies: [], in_time: 0 };
            by_status.set(status, counts);
            if (latency_ms !== undefined) counts.latencies.push(latency_ms);
            if (in_time) counts.in_time++;
        },
        byStatus: (): OpenLoopResult['answers'] =>
            Object.fromEntries(
                Array.from(by_status, ([status, { latencies, in_time }]) => [
                    status,
                    { count: latencies.length, latency: latencyOf(latencies), in_time },
                ]),
            ),
    };
}

/** Calls `step` with the time, at most `end`; after the end until it says that all is done, or patience is. */
function everyMillisecondUntil(end: number, step: (now: number) => boolean): Promise<void> {
    return new Promise((resolve) => {
        const tick = setInterval(() => {
            const now = performance.now();
            const done = step(Math.min(now, end));
            if (now < end || (!done && now < end + TIMEOUT_MS)) return;
            clearInterval(tick);
            resolve();
        }, 1);
    });
}
