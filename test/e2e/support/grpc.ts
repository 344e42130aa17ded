import { globSync } from 'node:fs';
import { Client, credentials, Metadata, type ServiceError, type status } from '@grpc/grpc-js';
import {
    loadSync,
    type MessageTypeDefinition,
    type MethodDefinition,
    type ServiceDefinition,
} from '@grpc/proto-loader';

function setting(name: string): string {
    const value = process.env[name];
    if (!value) throw new Error(`${name} is not set: run this file with "npm test -- <file>".`);
    return value;
}

/** host:port by role. */
export const ADDRESSES: Record<string, string> = JSON.parse(setting('E2E_GRPC'));
/** The token of the service's own processes. It may call every method. */
export const SERVICE_TOKEN = setting('E2E_SERVICE_TOKEN');
/** The token of another service. test/support/service.ts lists the methods that it may call. */
export const READER_TOKEN = setting('E2E_READER_TOKEN');

/** The contracts, loaded from the proto files as any client would load them. */
const PROTOS = loadSync(globSync('*/v1/*.proto', { cwd: 'proto' }), {
    includeDirs: ['proto'],
    keepCase: true,
    longs: Number,
    defaults: true,
});

/** Returns the definition of the method `package.v1.Service/Method`. */
export function methodAt(name: string): MethodDefinition<object, object> {
    const [service = '', method = ''] = name.split('/');
    // The contracts define only services and messages, and the tests name a service here.
    return (PROTOS[service] as ServiceDefinition)[method] as MethodDefinition<object, object>;
}

/** Returns the DescriptorProto of the message `package.v1.Message`. */
export function messageAt(name: string): object {
    return (PROTOS[name] as MessageTypeDefinition<object, object>).type; // the tests name a message here
}

/** All methods of all services, as `package.v1.Service/Method`. */
export const METHODS = Object.entries(PROTOS).flatMap(([service, definition]) =>
    'format' in definition ? [] : Object.keys(definition).map((method) => `${service}/${method}`),
);

/** Returns the address (host:port) of the service that has the method `name`. */
export function addressOf(name: string): string {
    return ADDRESSES[name.split('.')[0] ?? ''] ?? '';
}

export interface Options {
    /** No token is sent if it is null. */
    token?: string | null;
    /** The account on whose behalf the call is made. */
    user_id?: string;
    metadata?: Record<string, string>;
    /** Deadline, in milliseconds from now. */
    timeout_ms?: number;
}

// biome-ignore lint/suspicious/noExplicitAny: the tests assert the content of answers
type Message = any;

export interface Outcome {
    code: status;
    details: string;
    /** Trailers of the answer or refusal. */
    trailers: Record<string, unknown>;
    response: Message;
}

const clients = new Map<string, Client>();

export function clientOf(address: string): Client {
    let client = clients.get(address);
    if (!client) {
        client = new Client(address, credentials.createInsecure());
        clients.set(address, client);
    }
    return client;
}

export function closeClients(): void {
    for (const client of clients.values()) client.close();
}

/** Calls `package.v1.Service/Method`. Resolves to the outcome, also if the call fails. */
export function call(name: string, request: object, options: Options = {}): Promise<Outcome> {
    const { token = SERVICE_TOKEN, user_id, timeout_ms = 10_000 } = options;
    const { path, requestSerialize, responseDeserialize } = methodAt(name);
    const metadata = new Metadata();
    if (token !== null) metadata.set('authorization', `Bearer ${token}`);
    if (user_id !== undefined) metadata.set('x-on-behalf-of', user_id);
    for (const [key, value] of Object.entries(options.metadata ?? {})) metadata.set(key, value);
    const deadline = Date.now() + timeout_ms;
    return new Promise((resolve) => {
        let received: unknown;
        const receive = (_error: ServiceError | null, response?: unknown): void => {
            received = response;
        };
        clientOf(addressOf(name))
            .makeUnaryRequest(path, requestSerialize, responseDeserialize, request, metadata, { deadline }, receive)
            .on('status', ({ code, details, metadata: trailers }) =>
                resolve({ code, details, trailers: trailers.getMap(), response: received }),
            );
    });
}
