import { median } from '../percentiles.ts';
import { figure, table } from '../table.ts';
import type { LongList } from './long-list.ts';
import type { Point } from './turns.ts';

interface Spread {
    median: number;
    least: number;
    most: number;
}

export function spreadOf(values: readonly number[]): Spread {
    return { median: median(values), least: Math.min(...values), most: Math.max(...values) };
}

/**
 * The cost of a point divided by the cost of the first point, round by round, so that the speed of the machine in a
 * round does not matter.
 */
export function relativeTo(first: Point, point: Point): Spread {
    return spreadOf(
        point.runs.map(({ cpuUsPerRequest }, round) => {
            return cpuUsPerRequest / (first.runs[round]?.cpuUsPerRequest ?? Number.NaN);
        }),
    );
}

const HEAD = [
    'job',
    'credentials',
    'accounts',
    'gateways',
    'req/s',
    'CPU µs',
    'least – most',
    '÷ first',
    'least – most',
    'errors',
];

/** Returns a table of the points of one job. */
export function pointTable(points: readonly Point[]): string {
    const range = ({ least, most }: Spread): string => `${figure(least)} – ${figure(most)}`;
    const rows = points.map((point) => {
        const cost = spreadOf(point.runs.map((run) => run.cpuUsPerRequest));
        const ratio = relativeTo(points[0] ?? point, point);
        return [
            point.job,
            point.rows.toLocaleString('en'),
            point.accounts.toLocaleString('en'),
            String(point.gateways),
            figure(median(point.runs.map((run) => run.requestsPerSecond))),
            figure(cost.median),
            range(cost),
            figure(ratio.median),
            range(ratio),
            String(point.errors),
        ];
    });
    return table(HEAD, rows);
}

export function describeList({ rows, mib, seconds, beforeMib, peakMib }: LongList): string {
    const memory = `memory ${figure(beforeMib)} MiB before, at most ${figure(peakMib)} MiB`;
    return `A list of ${rows.toLocaleString('en')} credentials: ${figure(mib)} MiB in ${figure(seconds)} s; ${memory}.`;
}
