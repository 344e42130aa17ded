import { setTimeout as delay } from 'node:timers/promises';
import { newVisitor, visit } from './visits.ts';

/**
 * A child process, `node visitors.ts EVERY`: makes visits, at most one every EVERY milliseconds, until the parent sends
 * `stop`.
 */

const EVERY_MS = Number(process.argv[2]);
/** Number of visitors. They take turns, so that no account reaches its quota of keys or its rate limit. */
const VISITORS = 8;

let isOver = false;
process.once('message', () => {
    isOver = true;
});
const visitors = await Promise.all(Array.from({ length: VISITORS }, newVisitor));
const totals = { visits: 0, calls: 0, refused: {} as Record<string, number>, error: undefined as string | undefined };
try {
    while (!isOver) {
        const began = performance.now();
        const visitor = visitors[totals.visits % VISITORS];
        if (!visitor) break;
        const { calls, refused } = await visit(visitor);
        totals.visits++;
        totals.calls += calls;
        for (const status of refused) totals.refused[status] = (totals.refused[status] ?? 0) + 1;
        await delay(Math.max(0, EVERY_MS - (performance.now() - began)));
    }
} catch (error) {
    totals.error = String(error);
}
process.send?.(totals, () => process.exit());
