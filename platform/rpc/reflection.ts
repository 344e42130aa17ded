import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { BinaryReader } from '@bufbuild/protobuf/wire';
import type { PackageDefinition } from '@grpc/proto-loader';
import { asBuffer } from './frames/frames.ts';
import { addOnDemand, type ServiceRegistry } from './on-demand.ts';

/**
 * A google.protobuf.FileDescriptorSet of all protos with their comments, written by `npm run proto`. That of the health
 * service is among them, because proto-loader's descriptors have relative type names, which tools refuse.
 */
const DESCRIPTORS = new URL('../../proto/descriptors.binpb', import.meta.url);

const STREAMS = { requestStream: true, responseStream: true };
const METHODS = {
    '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo': STREAMS,
    '/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo': STREAMS,
};
const require = createRequire(import.meta.url);

/** Adds grpc.reflection.v1 and v1alpha. They list `services` (full names) and the health service. */
export function addReflection(server: ServiceRegistry, services: string[]): void {
    addOnDemand(server, METHODS, () => {
        const { ReflectionService } = require('@grpc/reflection') as typeof import('@grpc/reflection');
        // ReflectionService reads only the files of a definition.
        const all = { fileDescriptorProtos: filesOf(readFileSync(DESCRIPTORS)) };
        const protos = { all } as unknown as PackageDefinition;
        return new ReflectionService(protos, { services: [...services, 'grpc.health.v1.Health'] });
    });
}

/** Returns the encoded files of a FileDescriptorSet, which has no other field. */
function filesOf(descriptorSet: Uint8Array): Buffer[] {
    const reader = new BinaryReader(descriptorSet);
    const files: Buffer[] = [];
    while (reader.pos < reader.len) {
        reader.tag();
        files.push(asBuffer(reader.bytes()));
    }
    return files;
}
