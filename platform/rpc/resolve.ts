import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';

/** Where one process of a service is reached. */
export interface Endpoint {
    /** ip:port */
    target: string;
    /** The name it was found by: what its certificate must be for. */
    host: string;
}

/**
 * The endpoints behind `address`: host:port, or several of these separated by commas. A name stands for all of its A and AAAA
 * records, as those of a headless Service in Kubernetes; one that does not exist stands for none. Rejects where the name
 * service does not answer.
 */
export async function resolveEndpoints(address: string): Promise<Endpoint[]> {
    return (await Promise.all(address.split(',').map(resolveOne))).flat();
}

async function resolveOne(address: string): Promise<Endpoint[]> {
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
