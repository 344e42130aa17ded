import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Scenario, Trial } from '../scenario.ts';

const CUTS_MS = 10_000;
const SILENCE_MS = 12_000;
const PARTITION_MS = 20_000;

/** During calls, resets connections between roles, stops processes by SIGTERM, and keeps back answers. */
async function disturb({ stack, scaled, recovered }: Trial): Promise<void> {
    const proxies = [...stack.proxies.rpc.values()];
    const end = performance.now() + scaled(CUTS_MS);
    while (performance.now() < end) {
        proxies[randomInt(proxies.length)]?.cut();
        await delay(300);
    }
    await recovered('resets', performance.now());
    for (const role of ['credentials', 'keys']) {
        const [one] = stack.of(role);
        await one?.end('SIGTERM'); // GOAWAY
        one?.launch();
        await one?.ready();
    }
    await recovered('orderly ends', performance.now());
    const credentials = stack.proxies.rpc.get('credentials');
    credentials?.blackHole('answers');
    await delay(scaled(SILENCE_MS));
    await credentials?.heal();
    await recovered('lost answers', performance.now(), undefined, 'issue');
}

/** Keeps back all packets between one service and its callers. */
async function partition({ stack, scaled, recovered }: Trial): Promise<void> {
    const proxy = stack.proxies.rpc.get('credentials');
    proxy?.blackHole('requests', 'answers');
    await delay(scaled(PARTITION_MS));
    await proxy?.heal();
    await recovered('a broken network', performance.now(), undefined, 'issue');
}

export const rpcFaults: readonly Scenario[] = [
    {
        id: 'F14',
        fault: 'gRPC connections reset, processes stopped and answers lost during calls',
        form: 'apart',
        run: disturb,
    },
    { id: 'F22', fault: 'no packet between two roles for 20 s', isMostlyIdle: true, form: 'apart', run: partition },
];
