import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { isAcknowledged } from '../load/calls.ts';
import type { Scenario, Trial } from '../scenario.ts';

/** Longest time from SIGTERM to the end of a process, in milliseconds: the service's own cap, and a second more. */
const CAP_MS = 13_000;
/** Number of requests in a run of the usual length. */
const REQUESTS = 20_000;

/** Restarts every process in turn by SIGTERM, with two of each role. No request may fail. */
async function restartInTurn({ stack, load, scaled, broken, note }: Trial): Promise<void> {
    const began = performance.now();
    const answered = (): number => load.between(began, performance.now()).length;
    let rounds = 0;
    do {
        for (const one of stack.processes) {
            const code = await one.end('SIGTERM');
            if (code !== 0) broken('I6', `${one.name} ended with ${code}`);
            one.launch();
            await one.ready();
        }
        rounds++;
    } while (answered() < scaled(REQUESTS) && rounds < 3);
    const failed = load.between(began, performance.now()).filter((entry) => !entry.intent.kind.startsWith('use-'));
    for (const { number, intent, outcome } of failed.filter((entry) => !isAcknowledged(entry.outcome))) {
        broken('I6', `entry ${number} (${intent.kind}) failed: ${JSON.stringify(outcome)}`);
    }
    note(`${answered()} requests answered in ${rounds} rounds of restarts`);
}

/** Sends SIGTERM to a process whose requests are stuck in PostgreSQL, and two SIGTERM signals to another one. */
async function stopWhileStuck(trial: Trial): Promise<void> {
    const { stack, recovered, broken, note } = trial;
    const [credentials] = stack.of('credentials');
    const [dids] = stack.of('did');
    if (!credentials || !dids) return;
    await using stuck = await locked(stack.databaseUrl, 'credentials.credentials, did.dids');
    await delay(500);
    const began = performance.now();
    await credentials.end('SIGTERM');
    const took = performance.now() - began;
    note(`with stuck requests, credentials ended ${Math.round(took)} ms after SIGTERM`);
    if (took > CAP_MS) broken('I6', `credentials ended ${Math.round(took)} ms after SIGTERM`);
    const first = dids.end('SIGTERM');
    await delay(1_200); // within a second it would count as the same SIGTERM
    const second = performance.now();
    await dids.end('SIGTERM');
    await first;
    note(`did ended ${Math.round(performance.now() - second)} ms after a second SIGTERM`);
    if (performance.now() - second > 1_000) broken('I6', 'a second SIGTERM does not end a process at once');
    await stuck.release();
    for (const one of [credentials, dids]) one.launch();
    for (const one of [credentials, dids]) await one.ready();
    await recovered('stops with stuck requests', performance.now());
}

/** Locks these tables until release(). */
async function locked(databaseUrl: string, tables: string) {
    const client = new Client({ connectionString: databaseUrl });
    client.on('error', () => {}); // its connection may be cut
    await client.connect();
    await client.query(`BEGIN; LOCK TABLE ${tables} IN ACCESS EXCLUSIVE MODE`);
    const release = (): Promise<void> => client.end().catch(() => {});
    return { release, [Symbol.asyncDispose]: release };
}

export const orderlyStops: readonly Scenario[] = [
    {
        id: 'F6',
        fault: 'every process restarts by SIGTERM, two of each role',
        form: 'apart',
        isBalanced: true,
        clients: 32,
        stack: { replicas: 2, settings: { DATABASE_POOL: '2' } },
        run: restartInTurn,
    },
    { id: 'F7', fault: 'SIGTERM with a stuck request, and a second SIGTERM', form: 'apart', run: stopWhileStuck },
];
