import type { Environment } from '../../../platform/process/config.ts';
import { createMetrics, type Metrics } from '../../../platform/telemetry/metrics.ts';
import type { Lifecycle } from '../lifecycle.ts';
import { LOOPBACK, pickPort, releasePort } from '../ports.ts';
import { Problem } from '../problem.ts';
import { untilReady, type Watched } from '../ready.ts';
import { keepRunning, type RoleProcess } from '../role-process.ts';
import { serveReplicaOps } from './replica-ops.ts';
import { startWithSharedPorts } from './shared-port.ts';

interface Replica extends Watched, RoleProcess {
    opsPort: number;
}

/** The processes of `npm start`. */
interface Replicas {
    pids(): Array<number | undefined>;
    /** Replaces one process after the other: waits until the new one is ready, and drains the old one. */
    replace(): void;
}

interface ReplicaOptions {
    count: number;
    env: Environment & { DATA_DIR: string };
    /** The file to which all processes append their standard output and error. */
    outputFile: string;
    /** How long a process may take until it is ready. */
    seconds: number;
    opsHost: string;
    opsPort: number;
}

/**
 * Starts `count` processes with all roles behind the same ports. Starts a process again when it ends, and serves the
 * metrics and the readiness of all together. Throws Problem if a process ends before all are ready.
 */
export async function startReplicas(
    options: ReplicaOptions,
    { stopping, forced, defer }: Lifecycle,
): Promise<Replicas> {
    const { count, outputFile, seconds, opsHost, opsPort } = options;
    const metrics = createMetrics();
    const replicas: Replica[] = [];
    const ops = await serveReplicaOps({ host: opsHost, port: opsPort, metrics, replicas });
    defer(() => ops.stop());

    const failed = new AbortController(); // matters only until all are ready
    const onEnd = (name: string, reason: string): void =>
        failed.abort(new Problem(`${name} ended during the start (${reason}); see ${outputFile}`));
    const running = new Set<Replica>();
    const start = replicaStarter(options, { metrics, running, stopping, onEnd });
    let replacing = Promise.resolve();
    defer(async () => {
        await Promise.allSettled([replacing, ...replicas.map((replica) => replica.stop())]);
    });
    forced.addEventListener('abort', () => {
        for (const replica of running) replica.kill();
    });
    for (let number = 1; number <= count && !stopping.aborted; number++) {
        replicas.push(await start(`process-${number}`));
    }
    await untilReady(replicas, { signal: AbortSignal.any([stopping, failed.signal]), seconds });
    return {
        pids: () => replicas.map((replica) => replica.pid()),
        replace() {
            replacing = replacing
                .then(() => replaceAll(replicas, { start, running, stopping, seconds }))
                .catch((error) => console.error('The processes are not replaced:', error));
        },
    };
}

interface Launching {
    metrics: Metrics;
    /** All processes that a forced stop must kill. */
    running: Set<Replica>;
    stopping: AbortSignal;
    onEnd(name: string, reason: string): void;
}

/** Returns a function that starts a replica. */
function replicaStarter(
    { env, outputFile }: ReplicaOptions,
    { metrics, running, stopping, onEnd }: Launching,
): (name: string) => Promise<Replica> {
    const ended = metrics.counter({
        name: 'processes_ended_total',
        help: 'Processes of npm start that ended by themselves. The launcher started each again.',
        labels: [],
    });
    return async (name) => {
        const opsPort = await pickPort();
        const own = { ...env, OPS_HOST: LOOPBACK, OPS_PORT: String(opsPort) };
        const ops = `http://${LOOPBACK}:${opsPort}`;
        const kept = keepRunning({
            name,
            ops,
            start: (stdio) => startWithSharedPorts(own, stdio),
            outputFile,
            log: (line) => console.log(line),
            stopping,
            onEnd(reason) {
                ended.inc();
                onEnd(name, reason);
            },
        });
        const replica = { ...kept, ops, log: outputFile, opsPort };
        running.add(replica);
        return replica;
    };
}

/** Replaces each replica. Keeps those that are left if a new one does not become ready, or if the launcher stops. */
async function replaceAll(
    replicas: Replica[],
    group: { start(name: string): Promise<Replica>; running: Set<Replica>; stopping: AbortSignal; seconds: number },
): Promise<void> {
    const { start, running, stopping, seconds } = group;
    const forget = (replica: Replica): void => {
        running.delete(replica);
        releasePort(replica.opsPort);
    };
    for (const [index, old] of replicas.entries()) {
        if (stopping.aborted) return;
        const fresh = await start(old.name);
        try {
            await untilReady([fresh], { signal: stopping, seconds });
        } catch (error) {
            fresh.kill();
            forget(fresh);
            if (!stopping.aborted) console.error(`${old.name} is not replaced: ${(error as Error).message}`); // a Problem
            return;
        }
        replicas[index] = fresh;
        const pid = old.pid();
        await old.stop();
        forget(old);
        console.log(`${old.name} is replaced: pid ${pid} by pid ${fresh.pid()}`);
    }
}
