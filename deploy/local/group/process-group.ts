import type { Environment } from '../../../platform/process/config.ts';
import { createMetrics, type Metrics } from '../../../platform/telemetry/metrics.ts';
import type { Lifecycle } from '../lifecycle.ts';
import { pickPort } from '../ports.ts';
import { untilReady } from '../ready.ts';
import { keepRunning, type RoleProcess } from '../role-process.ts';
import { type GroupMember, serveGroupOps } from './group-ops.ts';
import { startWithSharedPorts } from './shared-port.ts';

const LOOPBACK = '127.0.0.1';
/** This signal to the launcher replaces all processes, one after the other. */
const REPLACE = 'SIGUSR2';

interface Member extends GroupMember {
    process: RoleProcess;
}

export interface ProcessGroup {
    pids(): Array<number | undefined>;
    /** The base URL of the operations port of the group. */
    ops: string;
}

interface GroupOptions {
    count: number;
    env: Environment;
    logFile: string;
    opsHost: string;
    opsPort: number;
}

/**
 * Starts `count` processes with all roles behind the same ports. Starts a process again when it ends, and serves the
 * metrics and the readiness of all together.
 */
export async function startProcesses(options: GroupOptions, lifecycle: Lifecycle): Promise<ProcessGroup> {
    const { count, opsHost, opsPort } = options;
    const { stopping, forced, defer } = lifecycle;
    const metrics = createMetrics();
    const { start, started } = starter(options, metrics);
    const members: Member[] = [];
    let replacing = Promise.resolve();
    defer(async () => {
        await replacing;
        await Promise.all(members.map((member) => member.process.stop()));
    });
    forced.addEventListener('abort', () => {
        for (const process of started) process.kill();
    });
    for (let number = 1; number <= count; number++) members.push(await start(`process-${number}`));
    await untilReady(members, stopping);
    process.on(REPLACE, () => {
        replacing = replacing.then(() => replaceAll(members, start, stopping));
    });
    const ops = await serveGroupOps({ host: opsHost, port: opsPort, metrics, members });
    defer(() => ops.stop());
    return { pids: () => members.map((member) => member.process.pid()), ops: ops.url };
}

/** Returns a function that starts a member, and the list of all processes that it has started. */
function starter({ env, logFile }: GroupOptions, metrics: Metrics) {
    const started: RoleProcess[] = [];
    const ended = metrics.counter({
        name: 'processes_ended_total',
        help: 'Processes of npm start that ended by themselves. The launcher started each again.',
        labels: [],
    });
    const start = async (name: string): Promise<Member> => {
        const port = await pickPort();
        const own = { ...env, OPS_HOST: LOOPBACK, OPS_PORT: String(port) };
        const process = keepRunning({
            name,
            start: (stdio) => startWithSharedPorts(own, stdio),
            logFile,
            log: (line) => console.log(line),
            onEnd: () => ended.inc(),
        });
        started.push(process);
        return { name, ops: `http://${LOOPBACK}:${port}`, process };
    };
    return { start, started };
}

/** Replaces one member after the other: starts the new process, waits until it is ready, and drains the old one. */
async function replaceAll(
    members: Member[],
    start: (name: string) => Promise<Member>,
    stopping: AbortSignal,
): Promise<void> {
    for (const [index, old] of members.entries()) {
        if (stopping.aborted) return;
        const fresh = await start(old.name);
        try {
            await untilReady([fresh], stopping);
        } catch (error) {
            fresh.process.kill();
            if (!stopping.aborted) console.error(`${old.name} is not replaced: ${(error as Error).message}`); // a Problem
            return;
        }
        members[index] = fresh;
        const pid = old.process.pid();
        await old.process.stop();
        console.log(`${old.name} is replaced: pid ${pid} by pid ${fresh.process.pid()}`);
    }
}
