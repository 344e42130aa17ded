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
    if (!value) throw new Error(`${name} is not set: run this file by "npm test -- <file>".`);
    return value;
}

/** host:port by role. */
export const ADDRESSES: Record<string, string> = JSON.parse(setting('E2E_GRPC'));
/** The token of the service's own processes. It may call every method. */
export const SERVICE_TOKEN = setting('E2E_SERVICE_TOKEN');
/** The token of a foreign service. test/support/service.ts lists the methods that it may call. */
export const READER_TOKEN = setting('E2E_READER_TOKEN');

/** The contracts as any client that has the protos reads them. */
const PROTOS = loadSync(globSync('*/v1/*.proto', { cwd: 'proto' }), {
    includeDirs: ['proto'],
    keepCase: true,
    longs: Number,
    defaults: true,
});

/** The method at `package.v1.Service/Method`. */
export function methodAt(name: string): MethodDefinition<object, object> {
    const [service = '', method = ''] = name.split('/');
    // The contracts define services and messages alone, and the tests name services.
    return (PROTOS[service] as ServiceDefinition)[method] as MethodDefinition<object, object>;
}

/** How a message is declared: `package.v1.Message`, a DescriptorProto. */
export function messageAt(name: string): object {
    return (PROTOS[name] as MessageTypeDefinition<object, object>).type; // as for methods
}

/** The services that there are, and their methods: `package.v1.Service/Method`. */
export const METHODS = Object.entries(PROTOS).flatMap(([service, definition]) =>
    'format' in definition ? [] : Object.keys(definition).map((method) => `${service}/${method}`),
);

/** Where the service of a method is served. */
export function addressOf(name: string): string {
    return ADDRESSES[name.split('.')[0] ?? ''] ?? '';
}

export interface Options {
    /** None where it is null. */
    token?: string | null;
    /** The account that the call acts for. */
    user_id?: string;
    metadata?: Record<string, string>;
    /** Milliseconds from now. */
    timeout_ms?: number;
}

/** What answers hold is asserted by the tests: reading it needs no types. */
// biome-ignore lint/suspicious/noExplicitAny: see above
type Message = any;

export interface Outcome {
    code: status;
    details: string;
    /** Trailers of a refusal. */
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

/** Calls `package.v1.Service/Method` and tells how that went. */
export function call(name: string, request: object, options: Options = {}): Promise<Outcome> {
    const { token = SERVICE_TOKEN, user_id, timeout_ms = 10_000 } = options;
    const { path, requestSerialize, responseDeserialize } = methodAt(name);
    const metadata = new Metadata();
    if (token !== null) metadata.set('authorization', `Bearer ${token}`);
    if (user_id !== undefined) metadata.set('x-on-behalf-of', user_id);
    for (const [key, value] of Object.entries(options.metadata ?? {})) metadata.set(key, value);
    const deadline = Date.now() + timeout_ms;
    return new Promise((resolve) => {
        const settle = (error: ServiceError | null, response?: unknown): void =>
            resolve({
                code: error?.code ?? 0,
                details: error?.details ?? '',
                trailers: error?.metadata.getMap() ?? {},
                response,
            });
        clientOf(addressOf(name)).makeUnaryRequest(
            path,
            requestSerialize,
            responseDeserialize,
            request,
            metadata,
            { deadline },
            settle,
        );
    });
}
