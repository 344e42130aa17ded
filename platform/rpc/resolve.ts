import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';

/** The address of one replica of a service. */
export interface ReplicaAddress {
    /** ip:port */
    target: string;
    /** The name that was resolved to this address. The certificate of the replica must be for this name. */
    host: string;
}

/**
 * Returns the addresses of the replicas behind `address`: host:port, or several of these separated by commas. A name
 * stands for all of its A and AAAA records, like those of a headless Service in Kubernetes. A name that does not exist
 * stands for none. Rejects if the name service does not answer.
 */
export async function resolveAddresses(address: string): Promise<ReplicaAddress[]> {
    return (await Promise.all(address.split(',').map(resolveOne))).flat();
}

async function resolveOne(address: string): Promise<ReplicaAddress[]> {
    const colon = address.lastIndexOf(':');
    const host = address.slice(0, colon);
    if (isIP(host)) return [{ target: address, host }];
    const found = await lookup(host, { all: true }).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOTFOUND') return [];
        throw error;
    });
    const port = address.slice(colon + 1);
    return found.map(({ address: ip, family }) => ({
        target: family === 6 ? `[${ip}]:${port}` : `${ip}:${port}`,
        host,
    }));
}
