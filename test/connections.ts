import { readFileSync } from 'node:fs';

/** As /proc/net/tcp writes it. */
const ESTABLISHED = '01';

/** How many TCP connections over IPv4 a process on this machine has accepted on a port, and has not closed. */
export function connectionsOn(port: number): number {
    const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
    const rows = readFileSync('/proc/net/tcp', 'utf8').trim().split('\n').slice(1);
    return rows.filter((row) => {
        const [, address, , state] = row.trim().split(/\s+/);
        return address?.endsWith(local) && state === ESTABLISHED;
    }).length;
}
