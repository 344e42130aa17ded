import './node-version.ts';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { run } from '../../main.ts';
import type { Environment } from '../../platform/process/config.ts';
import { releasePorts } from '../../platform/process/held-ports.ts';
import { columns, describe, firstSteps } from './banner.ts';
import { type ClusterPlan, type Member, planCluster } from './cluster-plan.ts';
import { publicUrl, roleEnvironment, serviceEnvironment } from './environment.ts';
import { type Lifecycle, runUntilStopped, unlessAborted } from './lifecycle.ts';
import { type LaunchContext, prepare } from './prepare.ts';
import { readySeconds, untilReady } from './ready.ts';
import { EXIT_WITH_PARENT, keepRunning, MAIN, type RoleProcess } from './role-process.ts';

/** `npm run start:cluster`: starts `GATEWAYS` gateways and one process per service, connected by gRPC on loopback. */
async function start(lifecycle: Lifecycle): Promise<void> {
    const { stopping, forced, defer } = lifecycle;
    const launchContext = await prepare(lifecycle);
    const seconds = readySeconds(launchContext);
    const plan = await planCluster(launchContext);
    const databases = await serviceEnvironment(launchContext, lifecycle);
    const ownUrl = publicUrl(launchContext.given, plan.gateways[0]?.settings['PORT'] ?? '');
    const env = { ...databases, ...ownUrl, ...plan.addresses };
    await unlessAborted(stopping, () =>
        run(['migrate'], { ...env, LOG_FILE: join(launchContext.dataDir, 'migrate.log') }),
    );

    await releasePorts();
    const launch = (member: Member): RoleProcess => launchMember(member, { env, stopping });
    const services = plan.services.map(launch);
    defer(() => stopAll(services));
    const gateways = plan.gateways.map(launch);
    defer(() => stopAll(gateways));
    forced.addEventListener('abort', () => {
        for (const process of [...gateways, ...services]) process.kill();
    });

    await untilReady([...plan.gateways, ...plan.services], { signal: stopping, seconds });
    report(launchContext, plan, env, [...gateways, ...services]);
}

function launchMember(
    { name, role, settings, ops, log }: Member,
    { env, stopping }: { env: Environment; stopping: AbortSignal },
): RoleProcess {
    return keepRunning({
        name,
        ops,
        // In a session of its own, so that Ctrl-C does not reach it: the gateways stop before the services.
        start: (stdio) =>
            spawn(process.execPath, [...process.execArgv, MAIN, role], {
                detached: true,
                stdio,
                env: { ...roleEnvironment(role, env), ...settings, ...EXIT_WITH_PARENT },
            }),
        outputFile: log,
        log: (line) => console.log(line),
        stopping,
    });
}

async function stopAll(processes: RoleProcess[]): Promise<void> {
    await Promise.all(processes.map((process) => process.stop()));
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
