import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { type Connection, connect } from './connect.ts';
import { type BoundMethod, client, type ServiceDefinition, type ServiceOf, type Transport } from './definition.ts';
import { type Dispatch, type Dispatcher, dispatcher } from './dispatch.ts';
import { localTransport } from './local.ts';
import type { Tls } from './tls.ts';

export interface ServiceRegistry {
    /** Returns the service of `role`: in this process if the role runs here, otherwise over gRPC. */
    serviceClient<D extends ServiceDefinition>(role: string, definition: D): ServiceOf<D>;
    /** The same for work in the background: without this service, the process can serve. */
    backgroundClient: ServiceRegistry['serviceClient'];
    /** Returns the services of all roles in `definitions`. */
    serviceClients<Definitions extends Record<string, ServiceDefinition>>(
        definitions: Definitions,
    ): { [Role in keyof Definitions]: ServiceOf<Definitions[Role]> };
    /**
     * Registers the methods of this process. Before that, no local call can be answered. Returns the entry for calls of
     * other processes.
     */
    offer(methods: BoundMethod[]): Dispatch;
    /** The connections to services that do not run in this process, by role. */
    connections: ReadonlyMap<string, Connection>;
    /** Whether the calls of this process need the service of `role`. */
    needs(role: string): boolean;
    close(): void;
}

/** Finds services by role: those that run here, and the addresses of the others (in the format of `connect`). */
export function serviceRegistry(options: {
    localRoles: readonly string[];
    addressOf(role: string): string;
    serviceToken: string;
    tls: Tls | undefined;
    frames: boolean;
    log: Log;
    metrics: Metrics;
}): ServiceRegistry {
    const { localRoles, addressOf, serviceToken, tls, frames, log, metrics } = options;
    const connections = new Map<string, Connection>();
    const needed = new Set<string>();
    exposeConnections(metrics, connections);
    let here: Dispatcher | undefined;
    const local = localTransport((path, request, context) => {
        if (!here) return Promise.reject(new Error('a service was called before it was registered'));
        return here.local(path, request, context);
    });

    function transportTo(role: string): Transport {
        if (localRoles.includes(role)) return local;
        let connection = connections.get(role);
        if (!connection) {
            connection = connect({ service: role, address: addressOf(role), serviceToken, tls, frames });
            connections.set(role, connection);
        }
        return connection.transport;
    }

    const backgroundClient = <D extends ServiceDefinition>(role: string, definition: D): ServiceOf<D> =>
        client(definition, transportTo(role));
    const serviceClient: ServiceRegistry['serviceClient'] = (role, definition) => {
        needed.add(role);
        return backgroundClient(role, definition);
    };

    return {
        serviceClient,
        backgroundClient,
        serviceClients: <Definitions extends Record<string, ServiceDefinition>>(definitions: Definitions) =>
            Object.fromEntries(
                Object.entries(definitions).map(([role, definition]) => [role, serviceClient(role, definition)]),
            ) as { [Role in keyof Definitions]: ServiceOf<Definitions[Role]> },
        offer(methods) {
            here = dispatcher(methods, { log, metrics });
            return here.remote;
        },
        connections,
        needs: (role) => needed.has(role),
        close() {
            for (const connection of connections.values()) connection.close();
        },
    };
}

/** Exports the state of `connections`, by role. */
function exposeConnections(metrics: Metrics, connections: ReadonlyMap<string, Connection>): void {
    metrics.collect(
        {
            type: 'gauge',
            name: 'rpc_client_peers',
            help: 'Known replicas of a service, by whether the stream to them is open.',
            labels: ['service', 'state'],
        },
        () =>
            Array.from(connections, ([service, connection]) =>
                Object.entries(connection.replicas()).map(([state, value]) => ({ labels: { service, state }, value })),
            ).flat(),
    );
}
