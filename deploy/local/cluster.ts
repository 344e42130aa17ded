import './node-version.ts';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { run } from '../../main.ts';
import type { Environment } from '../../platform/process/config.ts';
import { columns, describe, firstSteps } from './banner.ts';
import { type ClusterPlan, type Member, planCluster } from './cluster-plan.ts';
import { serviceEnvironment } from './environment.ts';
import { type Lifecycle, runUntilStopped, unlessAborted } from './lifecycle.ts';
import { type LaunchContext, prepare } from './prepare.ts';
import { Problem } from './problem.ts';
import { keepRunning, type RoleProcess } from './role-process.ts';

/** How long a start waits until all processes are ready, in milliseconds. */
const READY_TIMEOUT_MS = 60_000;

/** `npm run start:cluster`: starts `GATEWAYS` gateways and one process per service, connected by gRPC on loopback. */
async function start(lifecycle: Lifecycle): Promise<void> {
    const { stopping, forced, defer } = lifecycle;
    const launchContext = await prepare(lifecycle);
    const plan = await planCluster(launchContext);
    const env = { ...(await serviceEnvironment(launchContext, lifecycle)), ...plan.addresses };
    await unlessAborted(stopping, () =>
        run(['migrate'], { ...env, LOG_FILE: join(launchContext.dataDir, 'migrate.log') }),
    );

    const launch = (member: Member): RoleProcess => launchMember(member, launchContext, env);
    const services = plan.services.map(launch);
    defer(() => stopAll(services));
    const gateways = plan.gateways.map(launch);
    defer(() => stopAll(gateways));
    forced.addEventListener('abort', () => {
        for (const process of [...gateways, ...services]) process.kill();
    });

    await untilReady([...plan.gateways, ...plan.services], stopping);
    report(launchContext, plan, env, [...gateways, ...services]);
}

function launchMember({ name, role, settings }: Member, { dataDir }: LaunchContext, env: Environment): RoleProcess {
    return keepRunning({
        name,
        role,
        env: { ...env, ...settings },
        logFile: join(dataDir, `${name}.log`),
        log: (line) => console.log(line),
    });
}

async function stopAll(processes: RoleProcess[]): Promise<void> {
    await Promise.all(processes.map((process) => process.stop()));
}

async function untilReady(members: Member[], stopping: AbortSignal): Promise<void> {
    const deadline = performance.now() + READY_TIMEOUT_MS;
    for (let waiting = members; ; await delay(50, undefined, { signal: stopping })) {
        const ready = await Promise.all(waiting.map(isReady));
        waiting = waiting.filter((_, index) => !ready[index]);
        if (waiting.length === 0) return;
        if (performance.now() > deadline) {
            const names = waiting.map(({ name }) => name).join(', ');
            throw new Problem(`Not ready after ${READY_TIMEOUT_MS / 1000} s: ${names}. Their logs are in DATA_DIR.`);
        }
    }
}

async function isReady({ ops }: Member): Promise<boolean> {
    try {
        const answer = await fetch(`${ops}/readyz`, { signal: AbortSignal.timeout(2000) });
        await answer.body?.cancel();
        return answer.ok;
    } catch {
        return false; // it is not listening yet
    }
}

function report(launchContext: LaunchContext, plan: ClusterPlan, env: Environment, processes: RoleProcess[]): void {
    const members = [...plan.gateways, ...plan.services].map(({ name, address, ops }): [string, string] => {
        const pid = processes.find((process) => process.name === name)?.pid();
        return [name, `${address}  pid ${pid}  operations ${ops}`];
    });
    const logs: [string, string] = ['Logs', join(launchContext.dataDir, '<name>.log')];
    const url = plan.gateways[0]?.address ?? ''; // there is at least one
    console.log(`\nCredential service, one process per role (launcher: pid ${process.pid})\n`);
    console.log(`${columns([...members, logs, ...describe(launchContext, env)])}\n\n${firstSteps(url, env)}\n`);
    console.log(`ready ${url}`);
}

await runUntilStopped(start);
