import { type Latency, latencyOf } from '../percentiles.ts';
import { type Connection, openConnection, type Target } from './connection.ts';

export interface OpenLoopPlan {
    targets: readonly Target[];
    /** Requests per second, whether or not earlier ones are answered. */
    rate: number;
    /**
     * Maximum number of requests in progress. Further requests that are due wait, and their latency includes the wait.
     */
    connections: number;
    warmupS: number;
    seconds: number;
}

interface Answers {
    /** Number of answers to requests that were due in the counted time, whenever they came. */
    count: number;
    /** Latency of those answers, from the time at which the request was due. */
    latency: Latency;
    /** The same, from the time at which the request was sent. Waiting for a free connection does not count. */
    sinceSent: Latency;
    /** Number of answers that came in the counted time, whenever the request was due. */
    inTime: number;
}

export interface OpenLoopResult {
    seconds: number;
    /** Number of requests that were due in the counted time. */
    offered: number;
    /** By status. */
    answers: Record<string, Answers>;
    /** Number of requests that were never answered, whenever they were due. */
    lost: number;
}

/** How long the load waits for answers after the last request was due, in milliseconds. */
const TIMEOUT_MS = 15_000;

interface Lane {
    connection: Connection;
    /** When the unanswered request was due (`performance.now()`); undefined while the connection is free. */
    dueAt: number | undefined;
    /** When it was sent. */
    sentAt: number;
    /** Whether this request was due after the warm-up. */
    counts: boolean;
}

/** Sends requests when they are due, on any free connection. Starts again with the first request after the last one. */
export async function openLoop(
    plan: OpenLoopPlan,
    requests: readonly Buffer[],
    onBegin: () => void,
): Promise<OpenLoopResult> {
    const { rate, warmupS, seconds } = plan;
    const began = performance.now();
    const firstCounted = Math.round(warmupS * rate);
    const all = Math.round((warmupS + seconds) * rate);
    const countsFrom = began + warmupS * 1_000;
    const countsUntil = countsFrom + seconds * 1_000;
    const counted = answerCounts();
    const pool = lanePool(plan, ({ counts, sentAt }, status, dueAt) => {
        const now = performance.now();
        counted.add(status, {
            times: counts ? { sinceDueMs: now - dueAt, sinceSentMs: now - sentAt } : undefined,
            inTime: now >= countsFrom && now < countsUntil,
        });
        send();
    });
    let due = 0;
    let next = 0;
    function send(): void {
        while (next < due) {
            const lane = pool.take();
            if (!lane) return;
            lane.dueAt = began + (next / rate) * 1_000;
            lane.sentAt = performance.now();
            lane.counts = next >= firstCounted;
            lane.connection.send(requests[next++ % requests.length] as Buffer); // the list is not empty
        }
    }
    const begin = setTimeout(onBegin, warmupS * 1_000);
    await everyMillisecondUntil(countsUntil, (now) => {
        due = Math.min(all, Math.ceil(((now - began) / 1_000) * rate));
        send();
        return counted.all() === due;
    });
    clearTimeout(begin);
    pool.close();
    return { seconds, offered: due - firstCounted, answers: counted.byStatus(), lost: due - counted.all() };
}

/** Opens connections when they are needed, because a server closes connections that are idle for long. */
function lanePool(
    { targets, connections }: OpenLoopPlan,
    onAnswer: (lane: Lane, status: number, dueAt: number) => void,
): { take(): Lane | undefined; close(): void } {
    const free: Lane[] = [];
    const open = new Set<Lane>();
    const openLane = (): Lane => {
        const lane: Lane = {
            dueAt: undefined,
            sentAt: 0,
            counts: false,
            connection: openConnection({
                target: targets[open.size % targets.length] as Target, // there is at least one
                onAnswer({ status }) {
                    const { dueAt } = lane;
                    lane.dueAt = undefined;
                    if (dueAt === undefined) return; // the server answered no request: it closes an idle connection
                    free.push(lane);
                    onAnswer(lane, status, dueAt);
                },
                onLost: () => open.delete(lane), // its request stays unanswered
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

/** Milliseconds from two moments of a request to its answer. */
interface Times {
    sinceDueMs: number;
    sinceSentMs: number;
}

/** Counts all answers and, by status, the answers with times and the answers in time. */
function answerCounts() {
    const byStatus = new Map<number, { times: Times[]; inTime: number }>();
    let all = 0;
    return {
        all: () => all,
        add(status: number, { times, inTime }: { times: Times | undefined; inTime: boolean }): void {
            all++;
            const counts = byStatus.get(status) ?? { times: [], inTime: 0 };
            byStatus.set(status, counts);
            if (times) counts.times.push(times);
            if (inTime) counts.inTime++;
        },
        byStatus: (): OpenLoopResult['answers'] =>
            Object.fromEntries(
                Array.from(byStatus, ([status, { times, inTime }]) => [status, answersOf(times, inTime)]),
            ),
    };
}

function answersOf(times: readonly Times[], inTime: number): Answers {
    return {
        count: times.length,
        latency: latencyOf(times.map(({ sinceDueMs }) => sinceDueMs)),
        sinceSent: latencyOf(times.map(({ sinceSentMs }) => sinceSentMs)),
        inTime,
    };
}

/**
 * Calls `step` every millisecond with the current time, but at most `end`. After `end` it goes on until `step` returns
 * true or TIMEOUT_MS have passed.
 */
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
