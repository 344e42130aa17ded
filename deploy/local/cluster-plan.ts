import { join } from 'node:path';
import { ROLES } from '../../main.ts';
import type { Environment } from '../../platform/process/config.ts';
import { localUrl } from './banner.ts';
import { countSetting } from './count-setting.ts';
import { claimPorts, LOOPBACK, pickPort } from './ports.ts';
import type { LaunchContext } from './prepare.ts';
import type { Watched } from './ready.ts';

/** One process of the cluster. */
export interface Member extends Watched {
    /** The role and, for a gateway, its number. */
    name: string;
    role: string;
    /** The settings of this process only. */
    settings: Environment;
    /** Its address: a URL for a gateway, host and port of its gRPC for a service. */
    address: string;
}

export interface ClusterPlan {
    gateways: Member[];
    services: Member[];
    /** The settings with which all processes find the services. */
    addresses: Environment;
}

/**
 * Assigns the ports of the cluster: PORT, PORT + 1, ... to the gateways, GRPC_PORT, GRPC_PORT + 1, ... to the services.
 */
export async function planCluster(launchContext: LaunchContext): Promise<ClusterPlan> {
    const gateways = await planGateways(launchContext);
    const services = await planServices(launchContext);
    const addresses = Object.fromEntries(
        services.map(({ role, address }) => [`${role.toUpperCase()}_ADDRESS`, address]),
    );
    return { gateways, services, addresses };
}

async function planGateways({ config, dataDir, given }: LaunchContext): Promise<Member[]> {
    const count = countSetting(given, 'GATEWAYS', 1);
    const { HOST: host, OPS_HOST: opsHost = host } = config;
    const ports = await claimPorts({ host, first: config.PORT, count, setting: 'PORT' });
    const opsPorts = await claimPorts({ host: opsHost, first: config.OPS_PORT, count, setting: 'OPS_PORT' });
    return ports.map((port, index) => {
        const opsPort = opsPorts[index] ?? 0; // there are as many as gateway ports
        return {
            name: `gateway-${index + 1}`,
            role: 'gateway',
            settings: { PORT: String(port), OPS_PORT: String(opsPort) },
            address: localUrl(host, port),
            ops: localUrl(opsHost, opsPort),
            log: join(dataDir, `gateway-${index + 1}.log`),
        };
    });
}

async function planServices({ config, dataDir }: LaunchContext): Promise<Member[]> {
    const roles = ROLES.filter((name) => name !== 'gateway');
    const claim = { host: LOOPBACK, first: config.GRPC_PORT, count: roles.length, setting: 'GRPC_PORT' };
    const grpcPorts = await claimPorts(claim);
    const services: Member[] = [];
    for (const [index, role] of roles.entries()) {
        services.push(await planService(role, grpcPorts[index] ?? 0, dataDir)); // there are as many ports as roles
    }
    return services;
}

async function planService(role: string, grpcPort: number, dataDir: string): Promise<Member> {
    const opsPort = await pickPort();
    return {
        name: role,
        role,
        settings: { HOST: LOOPBACK, OPS_HOST: LOOPBACK, GRPC_PORT: String(grpcPort), OPS_PORT: String(opsPort) },
        address: `${LOOPBACK}:${grpcPort}`,
        ops: localUrl(LOOPBACK, opsPort),
        log: join(dataDir, `${role}.log`),
    };
}
