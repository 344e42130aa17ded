import type { MethodDefinition, Server, UntypedHandleCall } from '@grpc/grpc-js';

/**
 * Services of libraries that load protobufjs and protos. That takes a sixth of the CPU time of a start, and most
 * processes are never asked. So the first call of such a service loads its library.
 */

/** A server, as libraries add their services to it. */
export type ServiceRegistry = Pick<Server, 'addService'>;

/** Whether a method gets and sends streams. */
type Streams = Pick<MethodDefinition<object, object>, 'requestStream' | 'responseStream'>;

/** Adds the methods at these paths to a server. The first call of one loads the library that has them. */
export function addOnDemand(
    server: ServiceRegistry,
    methods: Record<string, Streams>,
    load: () => { addToServer(server: ServiceRegistry): void },
): void {
    let loaded: ReturnType<typeof methodsOf> | undefined;
    const own = (path: string): LoadedMethod => {
        loaded ??= methodsOf(load());
        const method = loaded.get(path);
        if (method === undefined) throw new Error(`the library has no method ${path}`);
        return method;
    };
    for (const [path, streams] of Object.entries(methods)) {
        const definition: MethodDefinition<object, object> = {
            path,
            ...streams,
            requestSerialize: (request) => own(path).definition.requestSerialize(request),
            requestDeserialize: (bytes) => own(path).definition.requestDeserialize(bytes),
            responseSerialize: (response) => own(path).definition.responseSerialize(response),
            responseDeserialize: (bytes) => own(path).definition.responseDeserialize(bytes),
        };
        const handle = (...call: unknown[]) => (own(path).handle as (...call: unknown[]) => void)(...call);
        server.addService({ [path]: definition }, { [path]: handle });
    }
}

interface LoadedMethod {
    definition: MethodDefinition<object, object>;
    handle: UntypedHandleCall;
}

/** The methods that a library adds to a server, by their paths. */
function methodsOf(library: { addToServer(server: ServiceRegistry): void }): Map<string, LoadedMethod> {
    const methods = new Map<string, LoadedMethod>();
    library.addToServer({
        addService(service, handlers) {
            for (const [name, definition] of Object.entries(service)) {
                const handle = handlers[name] ?? handlers[definition.originalName ?? name];
                if (handle) methods.set(definition.path, { definition, handle });
            }
        },
    });
    return methods;
}
