import { type OpsServer, serveOps } from '../../../platform/http/ops.ts';
import { createLog } from '../../../platform/telemetry/log.ts';
import type { Metrics } from '../../../platform/telemetry/metrics.ts';
import { ask, type Watched } from '../ready.ts';
import { mergeMetrics, type ProcessMetrics } from './merge-metrics.ts';

/**
 * Serves the operations port of processes that share their other ports. `/metrics` has the samples of all processes,
 * each with the label `process`. `/readyz` is ready while at least one process is, and then has the remarks of those
 * that are. `replicas` may change.
 */
export function serveReplicaOps(options: {
    host: string;
    port: number;
    /** The metrics of this process. */
    metrics: Metrics;
    replicas: ReadonlyArray<Omit<Watched, 'log'>>;
}): Promise<OpsServer> {
    const { metrics, replicas, ...address } = options;
    let answering = 0;
    let remarks: string[] = [];
    metrics.gauge(
        'processes_answering',
        'Processes of npm start that answered this scrape at their operations port.',
        () => answering,
    );
    return serveOps({
        ...address,
        log: createLog({ level: 'warn', name: 'launcher' }),
        metrics: {
            ...metrics,
            async expose() {
                const texts = await Promise.all(replicas.map(metricsOf));
                answering = texts.filter(({ text }) => text !== '').length;
                const { contentType, text } = await metrics.expose();
                return { contentType, text: mergeMetrics([{ process: 'launcher', text }, ...texts]) };
            },
        },
        async failingChecks() {
            if (replicas.length === 0) return ['no process is running yet'];
            const answers = await Promise.all(replicas.map(readinessOf));
            const ready = answers.filter(({ ok }) => ok);
            remarks = ready.flatMap(({ lines }) => lines);
            return ready.length > 0 ? [] : answers.flatMap(({ lines }) => lines);
        },
        remarks: () => remarks,
    });
}

async function metricsOf({ name, ops }: Omit<Watched, 'log'>): Promise<ProcessMetrics> {
    return { process: name, text: (await ask(`${ops}/metrics`))?.text ?? '' };
}

/** Whether a process is ready, and its failing checks or remarks, each with its name. */
async function readinessOf({ name, ops }: Omit<Watched, 'log'>): Promise<{ ok: boolean; lines: string[] }> {
    const answer = await ask(`${ops}/readyz`);
    const [, ...checks] = answer?.text.trim().split('\n') ?? ['', 'it does not answer'];
    return { ok: answer?.ok ?? false, lines: checks.map((check) => `${name}: ${check}`) };
}
