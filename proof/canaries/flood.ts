import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { Client } from 'pg';
import { GATEWAYS } from '../../test/e2e/support/client.ts';
import { requestText } from '../../test/e2e/support/socket.ts';
import { processesOf, until } from '../../test/full/process/launch/launch.ts';
import type { Canaries } from './canary.ts';
import type { Person } from './good-calls.ts';

/** Together so many calls that a gateway has too much to do for seconds, but fewer than the key's limit (10,000). */
const CONNECTIONS = 1_500;
const CALLS_PER_CONNECTION = 6;
const TIMEOUT_MS = 30_000;
/** Files that the gateways may open meanwhile: connections to databases and to other services. */
const MAX_OTHER_FILES = 20;
/** Its calls count against the limit of an address of their own. */
const ADDRESS = '127.77.200.1';

/**
 * Has all calls arrive at a gateway at once, by stopping it meanwhile, so that it turns some of them away for want of capacity. A lock
 * keeps those in progress that it has admitted, however fast the machine is. Gives the first such answer once the gateways have closed
 * the connections: an open connection keeps its newest request.
 */
export async function flood(canaries: Canaries, { api_key }: Person, database: string): Promise<string> {
    const gateways = processesOf(database).filter(({ command }) => / main\.ts (all|gateway)$/.test(command));
    const openFiles = (): number => gateways.reduce((sum, { pid }) => sum + readdirSync(`/proc/${pid}/fd`).length, 0);
    const locking = new Client({ connectionString: process.env['E2E_DATABASE_URL'] });
    await locking.connect();
    await locking.query('BEGIN; LOCK TABLE did.dids');
    const openBefore = openFiles();
    const sockets = await Promise.all(Array.from({ length: CONNECTIONS }, openConnection));
    const data = callOf(canaries, api_key).repeat(CALLS_PER_CONNECTION);
    const refusal = Promise.withResolvers<string>();
    const giveUp = setTimeout(() => refusal.reject(new Error('No call was turned away.')), TIMEOUT_MS);
    const signalAll = (signal: NodeJS.Signals): void => {
        for (const { pid } of gateways) process.kill(pid, signal);
    };
    signalAll('SIGSTOP');
    try {
        for (const socket of sockets) {
            socket.on('data', (answers) => {
                const text = answers.toString('latin1');
                const start = text.indexOf('HTTP/1.1 503 ');
                if (start >= 0) refusal.resolve(text.slice(start));
            });
        }
        await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.write(data, resolve))));
        signalAll('SIGCONT');
        await refusal.promise;
    } finally {
        signalAll('SIGCONT');
        clearTimeout(giveUp);
        await locking.end();
        for (const socket of sockets) socket.destroy();
    }
    await until('the gateways have closed the connections', () => openFiles() <= openBefore + MAX_OTHER_FILES);
    return refusal.promise;
}

/** A connection that the gateway has accepted. */
async function openConnection(): Promise<Socket> {
    const { hostname, port } = new URL(GATEWAYS[0] as string); // there are two
    const socket = connect({ host: hostname, port: Number(port), localAddress: ADDRESS });
    socket.write(requestText('GET /internal/health'));
    await once(socket, 'data');
    return socket;
}

/** A call that takes some work if it is admitted. */
function callOf(canaries: Canaries, apiKey: string): string {
    const canary = (where: string): string => canaries.text(`${where} of a call that is turned away`);
    const body = JSON.stringify({ password: canary('field') });
    const headers = [
        `Authorization: Bearer ${apiKey}`,
        `X-Internal-Secret: ${canary('internal secret')}`,
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
    ];
    return requestText(`POST /v1/did?password=${canary('query')}`, headers, body);
}
