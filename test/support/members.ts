import { pickPort } from '../../deploy/local/ports.ts';
import { ROLES } from '../../main.ts';

const SERVICES = ROLES.filter((role) => role !== 'gateway');

/** One process of the service. */
export interface Member {
    name: string;
    args: string[];
    env: Record<string, string>;
}

/** Gives each process a port for operations. Returns the addresses. */
export async function giveOpsPorts(members: Member[]): Promise<Array<{ role: string; target: string }>> {
    const given = [];
    for (const { args, env } of members) {
        const port = await pickPort();
        env['OPS_PORT'] = String(port);
        given.push({ role: args.join('+'), target: `127.0.0.1:${port}` });
    }
    return given;
}

async function pickPorts(count: number): Promise<number[]> {
    const ports = [];
    for (let port = 0; port < count; port++) ports.push(await pickPort());
    return ports;
}

/** Describes `gateways` processes, each with every role. */
export async function together(gateways = 2) {
    const ports = await pickPorts(gateways);
    const grpcPort = await pickPort();
    const members = ports.map(
        (port, index): Member => ({
            name: `all-${index}`,
            args: ['all'],
            env: { PORT: String(port), GRPC_PORT: index === 0 ? String(grpcPort) : '0' },
        }),
    );
    const grpc = Object.fromEntries(SERVICES.map((role) => [role, `127.0.0.1:${grpcPort}`]));
    return { members, urls: ports.map((port) => `http://127.0.0.1:${port}`), grpc };
}

/** Describes `replicas` processes of each service role, and `gateways` gateways. */
export async function apart(replicas: number, gateways = 2) {
    const addresses: Record<string, string> = {};
    const members: Member[] = [];
    const grpc: Record<string, string> = {};
    for (const role of SERVICES) {
        const targets: string[] = [];
        for (let replica = 0; replica < replicas; replica++) {
            const port = await pickPort();
            targets.push(`127.0.0.1:${port}`);
            members.push({ name: `${role}-${replica}`, args: [role], env: { GRPC_PORT: String(port) } });
        }
        grpc[role] = targets[0] as string; // there is at least one
        addresses[`${role.toUpperCase()}_ADDRESS`] = targets.join(',');
    }
    const ports = await pickPorts(gateways);
    for (const port of ports) members.push({ name: `gateway-${port}`, args: ['gateway'], env: { PORT: String(port) } });
    for (const member of members) Object.assign(member.env, addresses);
    return { members, urls: ports.map((port) => `http://127.0.0.1:${port}`), grpc };
}
