import { Cluster, type Command, type RedisOptions } from 'ioredis';
import { limitWait } from './redis-wait.ts';

/** Whether the URL names nodes of a Redis Cluster: `redis-cluster://`, or `rediss-cluster://` for TLS. */
export function isClusterUrl(url: string): boolean {
    return /^rediss?-cluster:/.test(url);
}

/** Some nodes of a cluster, `redis-cluster://:password@host:6379,redis-cluster://…`: the first one's password is that of all. */
export function clusterNodes(url: string): {
    nodes: Array<{ host: string; port: number }>;
    access: Pick<RedisOptions, 'username' | 'password' | 'tls'>;
} {
    const urls = url.split(',').map((node) => new URL(node));
    const nodes = urls.map(({ hostname, port }) => ({ host: hostname, port: Number(port || 6379) }));
    const [{ username, password, protocol } = new URL(url)] = urls;
    return {
        nodes,
        access: {
            ...(username && { username: decodeURIComponent(username) }),
            ...(password && { password: decodeURIComponent(password) }),
            ...(protocol === 'rediss-cluster:' && { tls: {} }),
        },
    };
}

/** Node names go to the socket as they are: TLS compares them with certificates. */
export const dnsLookup = (name: string, done: (error: null, address: string) => void): void => done(null, name);

class PunctualCluster extends Cluster {
    override sendCommand(...[command, stream, node]: Parameters<Cluster['sendCommand']>): unknown {
        const sent = super.sendCommand(command, stream, node);
        limitWait(command as Command); // the parameter's type is the interface of the same class
        return sent;
    }
}

/** As a connection to one Redis: fails fast, and sends twice only what a node has refused because it belongs to another. */
export function openCluster(url: string): Cluster {
    const { nodes, access } = clusterNodes(url);
    const cluster = new PunctualCluster(nodes, {
        enableOfflineQueue: false,
        retryDelayOnFailover: 0,
        retryDelayOnClusterDown: 0,
        clusterRetryStrategy: (attempt) => Math.min(50 * attempt, 500),
        dnsLookup,
        redisOptions: {
            ...access,
            maxRetriesPerRequest: 0,
            autoResendUnfulfilledCommands: false,
            connectTimeout: 2_000,
        },
    });
    cluster.on('ready', () => connectNodes(cluster));
    cluster.on('refresh', () => connectNodes(cluster));
    return cluster;
}

/** Ahead of the first command: while a node is being connected to, it is sent nothing. */
function connectNodes(cluster: Cluster): void {
    if (cluster.status !== 'ready') return; // whether it is, one of them is still to be asked
    for (const node of cluster.nodes('master')) {
        if (node.status === 'wait') node.connect().catch(() => {}); // the cluster tells of it, as 'node error'
    }
}

/** Calls `listener` when a node was lost, or another one has become a master. Slots that move take their keys with them. */
export function onOtherMasters(cluster: Cluster, listener: () => void): void {
    const masterNames = (): string =>
        cluster
            .nodes('master')
            .map(({ options: { host, port } }) => `${host}:${port}`)
            .sort()
            .join();
    let known = masterNames();
    cluster.on('-node', listener);
    cluster.on('refresh', () => {
        const present = masterNames();
        if (present !== known) listener();
        known = present;
    });
}
