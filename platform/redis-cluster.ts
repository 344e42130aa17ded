import { Cluster, type Command, type Redis, type RedisOptions } from 'ioredis';
import { PUNCTUAL, retryDelay } from './redis-options.ts';
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
        clusterRetryStrategy: retryDelay,
        dnsLookup,
        redisOptions: { ...access, ...PUNCTUAL },
    });
    const silent = new Set<string>();
    cluster.on('+node', (node: Redis) => giveUpWhenSilent(node, silent));
    cluster.on('ready', () => connectNodes(cluster));
    cluster.on('refresh', () => connectNodes(cluster));
    return cluster;
}

/**
 * Ends the connection to a node that leaves a command unanswered, and remembers its address in `silent`. Then commands for it
 * fail at once until it answers the greeting of a new connection, or another node has its slots.
 */
function giveUpWhenSilent(node: Redis, silent: Set<string>): void {
    const address = `${node.options.host}:${node.options.port}`;
    const send = node.sendCommand.bind(node);
    node.sendCommand = (command, stream) => {
        if (node.status === 'wait' && silent.has(address)) {
            node.connect().catch(() => {}); // the cluster tells of it, as 'node error'
            command.reject(new Error('The node has not answered, and is being connected to again.'));
            return command.promise;
        }
        const sent = send(command, stream);
        limitWait(command, () => {
            silent.add(address);
            node.disconnect();
        });
        return sent;
    };
    node.on('ready', () => silent.delete(address));
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
