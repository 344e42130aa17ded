import './node-version.ts';
import { join } from 'node:path';
import type { Environment } from '../../platform/process/config.ts';
import { releasePorts } from '../../platform/process/held-ports.ts';
import { columns, describe, firstSteps, localUrl } from './banner.ts';
import { publicUrl, serviceEnvironment } from './environment.ts';
import { type Lifecycle, runUntilStopped, unlessAborted } from './lifecycle.ts';
import { claimPorts } from './ports.ts';
import { type LaunchContext, prepare } from './prepare.ts';
import { readySeconds } from './ready.ts';
import { processCount, shareOf } from './replicas/replica-plan.ts';
import { startReplicas } from './replicas/replicas.ts';
import { endPreloaded, preload } from './replicas/shared-port.ts';

/** This signal replaces all processes, one after the other. */
const REPLACE_SIGNAL = 'SIGUSR2';

/** What runs the roles. */
interface Running {
    /** For the banner. */
    description: string;
    replace(): void;
}

/** `npm start`: runs the databases, and PROCESSES processes with all roles behind one port. */
async function start(lifecycle: Lifecycle): Promise<void> {
    let running: Running | undefined;
    // From the start, because a signal without a listener would end the launcher.
    process.on(REPLACE_SIGNAL, () => {
        if (running) running.replace();
        else console.log('Nothing is replaced: the service is still starting.');
    });
    const launchContext = await prepare(lifecycle);
    const count = processCount(launchContext);
    const seconds = readySeconds(launchContext);
    const outputFile = join(launchContext.dataDir, 'service.log');
    const ports = await takePorts(launchContext);
    preload(count, { dataDir: launchContext.dataDir, outputFile });
    lifecycle.defer(async () => endPreloaded());
    const { HOST, OPS_HOST } = launchContext.config;
    const ops = localUrl(OPS_HOST ?? HOST, Number(ports.OPS_PORT));
    const logFile = launchContext.given['LOG_FILE'] ?? outputFile;
    const main = import('../../main.ts'); // it is loaded while the databases start
    const databases = await serviceEnvironment(launchContext, lifecycle);
    const env = { ...databases, ...ports, ...publicUrl(launchContext.given, ports.PORT), LOG_FILE: logFile };
    const { run } = await main;
    await unlessAborted(lifecycle.stopping, () => run(['migrate'], env));
    await releasePorts();
    running = await runReplicas({ count, seconds, outputFile }, env, launchContext, lifecycle);

    const url = localUrl(HOST, Number(ports.PORT));
    const rows: Array<[string, string]> = [
        ['API', `${url} (${running.description})`],
        ['gRPC', new URL(localUrl(HOST, Number(ports.GRPC_PORT))).host],
        ['Operations', `${ops} (/readyz /livez /metrics)`],
        ['Log', logFile],
    ];
    console.log(
        `\nCredential service\n\n${columns([...rows, ...describe(launchContext, env)])}\n\n${firstSteps(url, env)}\n`,
    );
    console.log(`ready ${url}`);
}

type Ports = Record<'PORT' | 'OPS_PORT' | 'GRPC_PORT', string>;

/**
 * Takes the ports of the settings until `releasePorts`, so that nobody else takes them while the databases start. A port
 * of 0 is replaced by a free one. Throws Problem if a port is in use.
 */
async function takePorts({ config }: LaunchContext): Promise<Ports> {
    const { HOST, OPS_HOST = HOST } = config;
    const claim = async (setting: keyof Ports, host: string): Promise<string> =>
        String(await claimPorts({ host, first: config[setting], count: 1, setting }));
    return {
        PORT: await claim('PORT', HOST),
        GRPC_PORT: await claim('GRPC_PORT', HOST),
        OPS_PORT: await claim('OPS_PORT', OPS_HOST),
    };
}

/** Runs all roles in each of `count` processes. */
async function runReplicas(
    options: { count: number; seconds: number; outputFile: string },
    env: Environment & { DATA_DIR: string; OPS_PORT: string },
    launchContext: LaunchContext,
    lifecycle: Lifecycle,
): Promise<Running> {
    const { config } = launchContext;
    const { pids, replace } = await startReplicas(
        {
            ...options,
            env: { ...env, ...shareOf(options.count, launchContext) },
            opsHost: config.OPS_HOST ?? config.HOST,
            opsPort: Number(env.OPS_PORT),
        },
        lifecycle,
    );
    const all = pids().join(', ');
    return { description: `launcher: pid ${process.pid}, processes with all roles: pids ${all}`, replace };
}

await runUntilStopped(start);
