import './node-version.ts';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ROLES, run } from '../../main.ts';
import { columns, describe, firstSteps, localUrl } from './banner.ts';
import { serviceEnvironment } from './environment.ts';
import { type Lifecycle, runUntilStopped, unlessAborted } from './lifecycle.ts';
import { claimPorts } from './ports.ts';
import { prepare } from './prepare.ts';

/** How long a stop waits for the requests in progress, in milliseconds. Then they are aborted. */
const DRAIN_CAP_MS = 12_000;

/** `npm start`: runs all roles in this process, and the databases that it needs. */
async function start(lifecycle: Lifecycle): Promise<void> {
    const { stopping, forced, defer } = lifecycle;
    const launchContext = await prepare(lifecycle);
    const { HOST, PORT, OPS_PORT } = launchContext.config;
    const [port = 0] = await claimPorts({ host: HOST, first: PORT, count: 1, setting: 'PORT' });
    const [opsPort = 0] = await claimPorts({ host: HOST, first: OPS_PORT, count: 1, setting: 'OPS_PORT' });
    const logFile = launchContext.given['LOG_FILE'] ?? join(launchContext.dataDir, 'service.log');
    const env = {
        ...(await serviceEnvironment(launchContext, lifecycle)),
        PORT: String(port),
        OPS_PORT: String(opsPort),
        LOG_FILE: logFile,
    };
    await unlessAborted(stopping, () => run(['migrate'], env));
    const service = await unlessAborted(stopping, () => run([...ROLES], env));
    defer(async () => {
        if (!forced.aborted) await Promise.race([service.stop(), once(forced, 'abort'), delay(DRAIN_CAP_MS)]);
    });
    const url = localUrl(HOST, port);
    const ops = `${localUrl(HOST, opsPort)} (/readyz /livez /metrics)`;
    const rows: Array<[string, string]> = [
        ['API', `${url} (pid ${process.pid}, all roles)`],
        ['gRPC', service.urls.grpc ?? 'none'],
        ['Operations', ops],
        ['Log', logFile],
    ];
    console.log(
        `\nCredential service\n\n${columns([...rows, ...describe(launchContext, env)])}\n\n${firstSteps(url, env)}\n`,
    );
    console.log(`ready ${url}`);
}

await runUntilStopped(start);
