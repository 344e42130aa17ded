import type { Metrics } from '../../telemetry/metrics.ts';

const REASONS = ['connections', 'unknown', 'address', 'rate', 'time', 'streams', 'bytes'] as const;

/**
 * Why a connection was closed. At its start: too many connections (`connections`), too many unknown ones in total
 * (`unknown`) or from its address (`address`). While unknown: it lasted too long (`time`), opened too many streams
 * (`streams`) or sent too much (`bytes`). `rate`: too many connections or streams without a token in a short time.
 */
export type CutReason = (typeof REASONS)[number];

/** Exports the connections of the gRPC port. `count` is read when the metrics are rendered. */
export function connectionMetrics(
    metrics: Metrics,
    count: () => { open: number; unknown: number },
): { countCut(reason: CutReason): void } {
    metrics.collect(
        {
            type: 'gauge',
            name: 'grpc_connections',
            help: 'Connections of the gRPC port, by whether a valid token has come over them.',
            labels: ['token'],
        },
        () => {
            const { open, unknown } = count();
            return [
                { labels: { token: 'valid' }, value: open - unknown },
                { labels: { token: 'none' }, value: unknown },
            ];
        },
    );
    const cut = metrics.counter({
        name: 'grpc_connections_cut_total',
        help: 'Connections of the gRPC port that were closed, because they exceeded a bound on connections without a valid token, or because the process had too many connections.',
        labels: ['reason'],
    });
    for (const reason of REASONS) cut.inc({ reason }, 0);
    return { countCut: (reason) => cut.inc({ reason }) };
}
