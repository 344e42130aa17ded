import { Cluster, type Command, type Redis, type RedisOptions } from 'ioredis';
import { PUNCTUAL, retryDelay } from './redis-options.ts';
import { limitWait } from './redis-wait.ts';

/** True if the URL names nodes of a Redis Cluster: `redis-cluster://`, or `rediss-cluster://` for TLS. */
export function isClusterUrl(url: string): boolean {
    return /^rediss?-cluster:/.test(url);
}

/**
 * Parses the URLs of some nodes of a cluster, `redis-cluster://:password@host:6379,redis-cluster://…`. All nodes have
 * the user and password of the first one.
 */
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

/** Passes node names to the socket unresolved, because TLS compares them with certificates. */
export const dnsLookup = (name: string, done: (error: null, address: string) => void): void => done(null, name);

class PunctualCluster extends Cluster {
    override sendCommand(...[command, stream, node]: Parameters<Cluster['sendCommand']>): unknown {
        const sent = super.sendCommand(command, stream, node);
        limitWait(command as Command); // the parameter's type is the interface of the same class
        return sent;
    }
}

/**
 * Opens a connection to a cluster that behaves like one to a single Redis: it fails fast, and repeats a command only if
 * a node refused it because another node owns its slot.
 */
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
 * Closes the connection to a node that does not answer a command in time, and adds its address to `silent`. Commands
 * for the node then fail at once, until it is ready on a new connection or another node owns its slots.
 */
function giveUpWhenSilent(node: Redis, silent: Set<string>): void {
    const address = `${node.options.host}:${node.options.port}`;
    const send = node.sendCommand.bind(node);
    node.sendCommand = (command, stream) => {
        if (node.status === 'wait' && silent.has(address)) {
            node.connect().catch(() => {}); // the cluster reports it as 'node error'
            command.reject(new Error('The node did not answer. The connection is being replaced.'));
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

/** Connects to all masters before the first command, because no command is sent to a node that is still connecting. */
function connectNodes(cluster: Cluster): void {
    if (cluster.status !== 'ready') return; // ioredis still has to ask one of the nodes whether the cluster is ready
    for (const node of cluster.nodes('master')) {
        if (node.status === 'wait') node.connect().catch(() => {}); // the cluster reports it as 'node error'
    }
}

/**
 * Calls `listener` when a node was lost or another one became a master. Slots that move do not count: they keep their
 * keys.
 */
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
