import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pickPort } from '../../deploy/local/ports.ts';
import { ROLES } from '../../main.ts';

const SERVICES = ROLES.filter((role) => role !== 'gateway');

/** One process of the service, or the launcher of several. */
export interface Member {
    name: string;
    /** Default: main.ts. */
    program?: string;
    args: string[];
    env: Record<string, string>;
}

/** Groups of roles that do not call each other. The roles that are not named call others, or are called by them. */
export const UNRELATED_ROLES: ReadonlyArray<readonly string[]> = [
    ['did', 'presentations', 'usage', 'events'],
    ['keys', 'signing'],
    ['credentials', 'wallet', 'webhooks'],
];

/** All services but some, for a group: fewer processes cost less CPU while they start and wait. */
export function rolesWithout(...without: readonly string[]): string[] {
    return SERVICES.filter((role) => !without.includes(role));
}

/** What a program that a test starts gets of the environment of this process. It knows no settings of the test run. */
export function inherited(): Record<string, string> {
    const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
    // test/run.ts finds the processes that it must end by this TMPDIR.
    return { PATH, NODE_COMPILE_CACHE, TMPDIR: tmpdir() };
}

/** Gives each process a port for operations. Returns the addresses. */
export async function giveOpsPorts(members: Member[]): Promise<Array<{ role: string; target: string }>> {
    const given = [];
    for (const { name, args, env } of members) {
        const port = await pickPort();
        env['OPS_PORT'] = String(port);
        given.push({ role: args.join('+') || name, target: `127.0.0.1:${port}` });
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
    const members = ports.map((port, index) =>
        processOf(`all-${index}`, ['all'], { PORT: String(port), GRPC_PORT: index === 0 ? String(grpcPort) : '0' }),
    );
    return { members, urls: ports.map(urlOf), grpc: everyServiceAt(grpcPort) };
}

/** Describes `npm start` with `processes` processes, which share their ports. `dir` holds its data and its log. */
export async function launched(processes: number, dir: string) {
    const [port, grpcPort] = [await pickPort(), await pickPort()];
    const env = {
        PROCESSES: String(processes),
        PORT: String(port),
        GRPC_PORT: String(grpcPort),
        DATA_DIR: join(dir, 'npm-start'),
        LOG_FILE: join(dir, 'local-processes.log'),
    };
    const members: Member[] = [{ name: 'npm-start', program: 'deploy/local/start.ts', args: [], env }];
    // Tests that compare two gateways get the same URL twice. They send each request on a connection of its own, and the
    // kernel chooses its process.
    return { members, urls: [urlOf(port), urlOf(port)], grpc: everyServiceAt(grpcPort) };
}

/** How many processes run a role, and which roles share a process. */
export interface Shape {
    /** Number of processes of each role except the gateway, or of those roles that have more than one. Default: 1. */
    replicas?: number | Readonly<Record<string, number>>;
    /** Roles that run in one process. Every other role has processes of its own. */
    groups?: ReadonlyArray<readonly string[]>;
    /** Number of gateways. Default: 2. */
    gateways?: number;
}

/** Describes the processes of the services, and the gateways. */
export async function apart({ replicas = 1, groups = [], gateways = 2 }: Shape) {
    const addresses: Record<string, string> = {};
    const members: Member[] = [];
    const grpc: Record<string, string> = {};
    const alone = SERVICES.filter((role) => !groups.flat().includes(role)).map((role) => [role]);
    for (const roles of [...groups, ...alone]) {
        const targets: string[] = [];
        const count = typeof replicas === 'number' ? replicas : Math.max(...roles.map((role) => replicas[role] ?? 1));
        for (let replica = 0; replica < count; replica++) {
            const port = await pickPort();
            targets.push(`127.0.0.1:${port}`);
            members.push(processOf(`${roles.join('+')}-${replica}`, roles, { GRPC_PORT: String(port) }));
        }
        for (const role of roles) {
            grpc[role] = targets[0] as string; // there is at least one
            addresses[`${role.toUpperCase()}_ADDRESS`] = targets.join(',');
        }
    }
    const ports = await pickPorts(gateways);
    for (const port of ports) members.push(processOf(`gateway-${port}`, ['gateway'], { PORT: String(port) }));
    for (const member of members) Object.assign(member.env, addresses);
    return { members, urls: ports.map(urlOf), grpc };
}

function processOf(name: string, roles: readonly string[], env: Record<string, string>): Member {
    return { name, args: [...roles], env };
}

function urlOf(port: number): string {
    return `http://127.0.0.1:${port}`;
}

function everyServiceAt(port: number): Record<string, string> {
    return Object.fromEntries(SERVICES.map((role) => [role, `127.0.0.1:${port}`]));
}
