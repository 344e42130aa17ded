import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { latencyOf } from '../../../../bench/percentiles.ts';
import { runProgram } from '../../../../deploy/local/databases/run-program.ts';
import { newPassword } from '../load/actor.ts';
import { httpClient } from '../load/calls.ts';
import type { Scenario, Trial } from '../scenario.ts';
import type { Stack } from '../stack/stack.ts';

const LOGINS = 500;
const HEALTH_MS = 50;
const DESCRIPTORS = 256;
const SLOW_SOCKETS = 2_000;
/** Slow and idle sockets must be closed within this time, in milliseconds. */
const GONE_MS = 15_000;

/** Sends 500 logins at once, at the real cost of a hash. Calls that need no password must continue. */
async function floodWithLogins({ stack, load, target, note, recovered }: Trial): Promise<void> {
    const idle = latencyOf(load.between(performance.now() - 2_000, performance.now()).map(tookMs)).p99;
    const clients = Array.from({ length: LOGINS }, () => httpClient(stack.ports, stack.secrets.internal));
    const began = performance.now();
    const watch = watchHealth(stack);
    const logins = await Promise.all(
        clients.map(({ send }, index) => {
            const body = { email: `nobody-${index}@faults.example`, password: newPassword() };
            return send(index % 2, { method: 'POST', path: '/internal/v1/auth/login', body });
        }),
    );
    for (const { close } of clients) close();
    const health = latencyOf(await watch.stop()).p99;
    const issues = load.between(began, performance.now()).filter(({ intent }) => intent.kind === 'issue');
    const during = latencyOf(issues.map(tookMs)).p99;
    const refused = logins.filter((login) => 'status' in login && login.status === 503).length;
    note(`${logins.length} logins in ${Math.round(performance.now() - began)} ms, ${refused} refused for now`);
    note(
        `p99 of health ${Math.round(health)} ms; p99 ${Math.round(idle)} ms before, of issues ${Math.round(during)} ms`,
    );
    target(`p99 of health is ${Math.round(health)} ms`, health <= HEALTH_MS);
    target(`p99 of issues is ${Math.round(during)} ms, before it was ${Math.round(idle)} ms`, during <= 3 * idle);
    await recovered('the flood', performance.now());
}

function tookMs({ outcome }: { outcome?: { tookMs: number } }): number {
    return outcome?.tookMs ?? 0;
}

/** Requests the health of a gateway until stop(), which returns how long each answer took, in milliseconds. */
function watchHealth({ ports, secrets }: Stack) {
    const { send, close } = httpClient(ports, secrets.internal);
    const took: number[] = [];
    let isOver = false;
    const run = async (): Promise<void> => {
        while (!isOver) {
            took.push((await send(0, { method: 'GET', path: '/internal/health' })).tookMs);
            await delay(20);
        }
    };
    const running = run();
    return {
        async stop(): Promise<number[]> {
            isOver = true;
            await running;
            close();
            return took;
        },
    };
}

/** Limits a gateway to 256 open files, and opens more connections to it than that. */
async function exhaustDescriptors({ stack, scaled, recovered, note }: Trial): Promise<void> {
    const [gateway] = stack.gateways;
    const [port = 0] = stack.ports;
    if (!gateway) return;
    // Only the soft limit: a process without CAP_SYS_RESOURCE cannot raise the hard one.
    await runProgram(['prlimit', `--pid=${gateway.pid()}`, `--nofile=${DESCRIPTORS}:`], { timeout_ms: 5_000 });
    const sockets = openSockets(port, 2 * DESCRIPTORS);
    await delay(scaled(4_000));
    note(`${sockets.filter(({ destroyed }) => destroyed).length} of ${sockets.length} connections were refused`);
    for (const socket of sockets) socket.destroy();
    await recovered('too many connections', performance.now());
}

/** Opens sockets that send one header line at a time, that send nothing, and that do not read their answers. */
async function floodWithSockets({ stack, recovered, broken, note }: Trial): Promise<void> {
    const [port = 0] = stack.ports;
    const slow = openSockets(port, SLOW_SOCKETS, 'GET /v1/me HTTP/1.1\r\nHost: faults\r\n');
    const idle = openSockets(port, 200);
    const readers = openSockets(port, 100, 'GET /openapi.json HTTP/1.1\r\nHost: faults\r\n\r\n'.repeat(20));
    for (const reader of readers) reader.pause();
    const drip = setInterval(() => {
        for (const socket of slow) if (!socket.destroyed) socket.write('X-More: 1\r\n');
    }, 2_000);
    await delay(GONE_MS + 2_000);
    clearInterval(drip);
    for (const reader of readers) reader.resume(); // they read what the kernel has kept, and then see the end
    await delay(1_000);
    for (const [what, sockets] of Object.entries({ slow, idle, readers })) {
        const left = sockets.filter(({ destroyed, readableEnded }) => !destroyed && !readableEnded).length;
        note(`${left} of ${sockets.length} ${what} sockets are left after ${GONE_MS / 1_000} s`);
        if (what !== 'readers' && left > 0) broken('I6', `${left} of ${sockets.length} ${what} sockets are not closed`);
    }
    for (const socket of [...slow, ...idle, ...readers]) socket.destroy();
    await recovered('slow clients', performance.now());
}

function openSockets(port: number, count: number, first?: string): Socket[] {
    return Array.from({ length: count }, () => {
        const socket = connect({ host: '127.0.0.1', port });
        socket.on('error', () => {}); // the gateway is meant to refuse them
        socket.resume();
        if (first !== undefined) socket.write(first);
        return socket;
    });
}

export const floods: readonly Scenario[] = [
    {
        id: 'F11',
        fault: '500 logins at once',
        form: 'apart',
        // The usual cost in production.
        stack: { settings: { ARGON2_MEMORY_KIB: '19456', ARGON2_PASSES: '2', PASSWORD_THREADS: '2' } },
        clients: 8,
        run: floodWithLogins,
    },
    { id: 'F12', fault: 'a gateway may open 256 files', form: 'apart', mayLose: true, run: exhaustDescriptors },
    { id: 'F13', fault: '2,300 slow, idle and unreading sockets', form: 'apart', run: floodWithSockets },
];
