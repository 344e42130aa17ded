import { median } from '../percentiles.ts';
import { figure, table } from '../table.ts';
import type { LongList } from './long-list.ts';
import type { Point } from './turns.ts';

export interface Spread {
    median: number;
    least: number;
    most: number;
}

export function spreadOf(values: readonly number[]): Spread {
    return { median: median(values), least: Math.min(...values), most: Math.max(...values) };
}

/** What a point costs in terms of the first, round by round: the speed that the machine had in a round is not in it. */
export function relativeTo(first: Point, point: Point): Spread {
    return spreadOf(
        point.runs.map(({ cpu_us_per_request }, round) => {
            return cpu_us_per_request / (first.runs[round]?.cpu_us_per_request ?? Number.NaN);
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

/** The points of one job. */
export function pointTable(points: readonly Point[]): string {
    const range = ({ least, most }: Spread): string => `${figure(least)} – ${figure(most)}`;
    const rows = points.map((point) => {
        const cost = spreadOf(point.runs.map((run) => run.cpu_us_per_request));
        const ratio = relativeTo(points[0] ?? point, point);
        return [
            point.job,
            point.rows.toLocaleString('en'),
            point.accounts.toLocaleString('en'),
            String(point.gateways),
            figure(median(point.runs.map((run) => run.requests_per_second))),
            figure(cost.median),
            range(cost),
            figure(ratio.median),
            range(ratio),
            String(point.errors),
        ];
    });
    return table(HEAD, rows);
}

export function describeList({ rows, mib, seconds, before_mib, peak_mib }: LongList): string {
    const memory = `memory ${figure(before_mib)} MiB before, at most ${figure(peak_mib)} MiB`;
    return `A list of ${rows.toLocaleString('en')} credentials: ${figure(mib)} MiB in ${figure(seconds)} s; ${memory}.`;
}
