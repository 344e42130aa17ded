import assert from 'node:assert/strict';
import { Client, credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import { loadSync, type ServiceDefinition } from '@grpc/proto-loader';

/** Makes one call of a method from a proto file. For a stream: one request and its first answer. */
export function ask(address: string, service: ServiceDefinition, name: string, request: object, token?: string) {
    const method = service[name] ?? assert.fail(name);
    const grpc = new Client(address, credentials.createInsecure());
    const metadata = new Metadata();
    if (token !== undefined) metadata.set('authorization', `Bearer ${token}`);
    const { path, requestSerialize, responseDeserialize } = method;
    // biome-ignore lint/suspicious/noExplicitAny: the tests assert the content of answers
    return new Promise<any>((resolve, reject) => {
        if (!method.requestStream) {
            const settle = (error: ServiceError | null, response?: unknown) =>
                error ? reject(error) : resolve(response);
            grpc.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, metadata, settle);
            return;
        }
        const stream = grpc.makeBidiStreamRequest(path, requestSerialize, responseDeserialize, metadata);
        stream.on('data', resolve).on('error', reject);
        stream.write(request);
        stream.end();
    }).finally(() => grpc.close());
}

/** Loads the service `name` of a proto file. */
export function serviceIn(file: string, name: string): ServiceDefinition {
    // `name` is the name of a service.
    return loadSync(file, { keepCase: true, enums: String, defaults: true, oneofs: true })[name] as ServiceDefinition;
}
