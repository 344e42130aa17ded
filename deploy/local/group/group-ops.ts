import { createLog } from '../../../platform/telemetry/log.ts';
import type { Metrics } from '../../../platform/telemetry/metrics.ts';
import { type OpsServer, serveOps } from '../../../platform/telemetry/ops.ts';
import { mergeMetrics } from './merge-metrics.ts';

/** Time limit for the answer of a process, in milliseconds. It is shorter than the limit of the probes, which is 2 s. */
const ANSWER_MS = 1_500;

export interface GroupMember {
    name: string;
    /** The base URL of its operations port. */
    ops: string;
}

/**
 * Serves the operations port of processes that share their other ports. `/metrics` has the samples of all processes,
 * each with the label `process`. `/readyz` is ready while at least one process is. `members` may change.
 */
export function serveGroupOps(options: {
    host: string;
    port: number;
    /** The metrics of this process. */
    metrics: Metrics;
    members: readonly GroupMember[];
}): Promise<OpsServer> {
    const { metrics, members, ...address } = options;
    return serveOps({
        ...address,
        log: createLog({ level: 'warn', name: 'launcher' }),
        metrics: {
            ...metrics,
            async expose() {
                const { contentType, text } = await metrics.expose();
                const texts = await Promise.all(members.map(metricsOf));
                return { contentType, text: mergeMetrics([{ process: 'launcher', text }, ...texts]) };
            },
        },
        async failingChecks() {
            const failing = await Promise.all(members.map(failingChecksOf));
            return failing.every((checks) => checks.length > 0) ? failing.flat() : [];
        },
    });
}

async function metricsOf({ name, ops }: GroupMember): Promise<{ process: string; text: string }> {
    return { process: name, text: (await ask(`${ops}/metrics`))?.text ?? '' };
}

/** The failing checks of a process; empty if it is ready. */
async function failingChecksOf({ name, ops }: GroupMember): Promise<string[]> {
    const answer = await ask(`${ops}/readyz`);
    if (answer?.ok) return [];
    const [, ...checks] = answer?.text.trim().split('\n') ?? [];
    return checks.length > 0 ? checks.map((check) => `${name}: ${check}`) : [`${name}: it does not answer`];
}

/** Returns the answer of a process, or undefined if it is starting, has ended or hangs. */
async function ask(url: string): Promise<{ ok: boolean; text: string } | undefined> {
    try {
        const answer = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) });
        return { ok: answer.ok, text: await answer.text() };
    } catch {
        return undefined;
    }
}
