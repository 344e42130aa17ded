import { setTimeout as delay } from 'node:timers/promises';
import { openConnection } from '../../../../bench/load/connection.ts';
import type { LaunchTrial, Scenario, Trial } from '../scenario.ts';

const FLOOD_MS = 8_000;
const CONNECTIONS = 8;
/** A refused call costs little and writes a log line. */
const REFUSED = Buffer.from('GET /v1/me HTTP/1.1\r\nHost: faults\r\nAuthorization: Bearer nothing\r\n\r\n');

async function launch({ stack }: LaunchTrial): Promise<void> {
    for (const one of stack.gateways) one.blockOutput();
    await stack.migrate();
    await stack.launch();
}

/** Calls that only produce log lines add to the writes, while no process reads the output of the gateways. */
async function run({ stack, scaled, recovered, note }: Trial): Promise<void> {
    let answered = 0;
    const began = performance.now();
    const connections = Array.from({ length: CONNECTIONS }, (_, index) => {
        const connection = openConnection({
            target: { host: '127.0.0.1', port: stack.ports[index % stack.ports.length] ?? 0 },
            onAnswer() {
                answered++;
                if (performance.now() - began < scaled(FLOOD_MS)) connection.send(REFUSED);
            },
            onLost: () => {},
        });
        connection.send(REFUSED);
        return connection;
    });
    await delay(scaled(FLOOD_MS));
    await recovered('blocked logs', performance.now());
    for (const connection of connections) connection.close();
    for (const gateway of stack.gateways) {
        note(`${await gateway.metric('log_lines_dropped_total')} lines of ${gateway.name} were dropped`);
    }
    note(`${answered} additional calls`);
}

export const blockedLogs: readonly Scenario[] = [
    { id: 'F10', fault: 'nobody reads the logs of the gateways', form: 'apart', launch, run },
];
