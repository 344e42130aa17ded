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

export interface OpenLoopResult {
    seconds: number;
    /** Due in the counted time. */
    offered: number;
    /** Of what was due in the counted time: by status, from when it was due to when its answer was there. */
    answers: Record<string, { count: number; latency: Latency }>;
    /** Connections that were lost, and what was due and never answered. */
    lost: number;
}

/** What is still under way this long after the last request was due is lost, in milliseconds. */
const PATIENCE_MS = 15_000;

interface Lane {
    connection: Connection;
    due_at: number;
}

/** Sends requests when they are due, on whichever connection is free, and begins with the first again after the last. */
export async function openLoop(
    plan: OpenLoopPlan,
    requests: readonly Buffer[],
    onBegin: () => void,
): Promise<OpenLoopResult> {
    const latencies = new Map<number, number[]>();
    const free: Lane[] = [];
    const began = performance.now();
    const counted_from = began + plan.warmup_s * 1_000;
    const end = counted_from + plan.seconds * 1_000;
    let due = 0;
    let next = 0;
    let answered = 0;
    let lost = 0;
    const open = (index: number): Lane => {
        const lane: Lane = {
            due_at: 0,
            connection: openConnection({
                target: plan.targets[index % plan.targets.length] as Target, // there is at least one
                onAnswer({ status }) {
                    answered++;
                    if (lane.due_at >= counted_from) {
                        const values = latencies.get(status) ?? [];
                        latencies.set(status, values);
                        values.push(performance.now() - lane.due_at);
                    }
                    free.push(lane);
                    send();
                },
                onLost() {
                    lost++;
                },
            }),
        };
        return lane;
    };
    /** Sends what is due, as far as connections are free. */
    function send(): void {
        while (next < due) {
            const lane = free.pop();
            if (!lane) return;
            lane.due_at = began + (next / plan.rate) * 1_000;
            lane.connection.send(requests[next++ % requests.length] as Buffer); // there are some
        }
    }
    const lanes = Array.from({ length: plan.connections }, (_, index) => open(index));
    free.push(...lanes);
    const begin = setTimeout(onBegin, plan.warmup_s * 1_000);
    await new Promise<void>((resolve) => {
        const tick = setInterval(() => {
            const now = performance.now();
            due = Math.ceil(((Math.min(now, end) - began) / 1_000) * plan.rate);
            send();
            if (now < end || (answered < due && now < end + PATIENCE_MS)) return;
            clearInterval(tick);
            resolve();
        }, 1);
    });
    clearTimeout(begin);
    for (const { connection } of lanes) connection.close();
    const by_status = Array.from(latencies, ([status, values]) => [
        status,
        { count: values.length, latency: latencyOf(values) },
    ]);
    const offered = due - Math.ceil(plan.warmup_s * plan.rate);
    return { seconds: plan.seconds, offered, answers: Object.fromEntries(by_status), lost: lost + due - answered };
}
