import './node-version.ts';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ROLES, run } from '../../main.ts';
import type { Environment } from '../../platform/process/config.ts';
import { columns, describe, firstSteps, localUrl } from './banner.ts';
import { serviceEnvironment } from './environment.ts';
import { startProcesses } from './group/process-group.ts';
import { processCount, shareOf } from './group/process-plan.ts';
import { type Lifecycle, runUntilStopped, unlessAborted } from './lifecycle.ts';
import { claimPorts } from './ports.ts';
import { type LaunchContext, prepare } from './prepare.ts';

/** How long a stop waits for the requests in progress, in milliseconds. Then they are aborted. */
const DRAIN_CAP_MS = 12_000;

/**
 * `npm start`: runs all roles and the databases that they need. Starts PROCESSES processes behind one port, or runs the
 * roles in this process if there is only one.
 */
async function start(lifecycle: Lifecycle): Promise<void> {
    const launchContext = await prepare(lifecycle);
    const count = processCount(launchContext);
    const ports = await assignPorts(launchContext);
    const logFile = launchContext.given['LOG_FILE'] ?? join(launchContext.dataDir, 'service.log');
    mkdirSync(dirname(logFile), { recursive: true });
    const env = { ...(await serviceEnvironment(launchContext, lifecycle)), ...ports, LOG_FILE: logFile };
    await unlessAborted(lifecycle.stopping, () => run(['migrate'], env));
    const running =
        count === 1 ? await runHere(env, lifecycle) : await runProcesses(count, env, launchContext, lifecycle);

    const { HOST, OPS_HOST } = launchContext.config;
    const url = localUrl(HOST, Number(ports.PORT));
    const rows: Array<[string, string]> = [
        ['API', `${url} (${running.processes})`],
        ['gRPC', `${HOST}:${ports.GRPC_PORT}`],
        ['Operations', `${localUrl(OPS_HOST ?? HOST, Number(ports.OPS_PORT))} (/readyz /livez /metrics)`],
        ['Log', logFile],
    ];
    console.log(
        `\nCredential service\n\n${columns([...rows, ...describe(launchContext, env)])}\n\n${firstSteps(url, env)}\n`,
    );
    console.log(`ready ${url}`);
}

/** Returns the ports of the settings. A port of 0 is replaced by a free one. Throws Problem if one is in use. */
async function assignPorts({ config }: LaunchContext): Promise<Record<'PORT' | 'OPS_PORT' | 'GRPC_PORT', string>> {
    const { HOST, OPS_HOST = HOST } = config;
    const claim = async (setting: 'PORT' | 'OPS_PORT' | 'GRPC_PORT', host: string): Promise<string> =>
        String(await claimPorts({ host, first: config[setting], count: 1, setting }));
    return {
        PORT: await claim('PORT', HOST),
        OPS_PORT: await claim('OPS_PORT', OPS_HOST),
        GRPC_PORT: await claim('GRPC_PORT', HOST),
    };
}

/** Runs all roles in this process. Returns how the banner names it. */
async function runHere(env: Environment, { stopping, forced, defer }: Lifecycle): Promise<{ processes: string }> {
    const service = await unlessAborted(stopping, () => run([...ROLES], env));
    defer(async () => {
        if (!forced.aborted) await Promise.race([service.stop(), once(forced, 'abort'), delay(DRAIN_CAP_MS)]);
    });
    return { processes: `pid ${process.pid}, all roles` };
}

/** Runs all roles in each of `count` processes. Returns how the banner names them. */
async function runProcesses(
    count: number,
    env: Environment & { LOG_FILE: string; OPS_PORT: string },
    launchContext: LaunchContext,
    lifecycle: Lifecycle,
): Promise<{ processes: string }> {
    const { HOST, OPS_HOST = HOST } = launchContext.config;
    const { pids } = await startProcesses(
        {
            count,
            env: { ...env, ...shareOf(count, launchContext) },
            logFile: env.LOG_FILE,
            opsHost: OPS_HOST,
            opsPort: Number(env.OPS_PORT),
        },
        lifecycle,
    );
    return { processes: `launcher: pid ${process.pid}, ${count} processes with all roles: pids ${pids().join(', ')}` };
}

await runUntilStopped(start);
