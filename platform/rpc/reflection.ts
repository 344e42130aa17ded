import { readFileSync } from 'node:fs';
import { BinaryReader } from '@bufbuild/protobuf/wire';
import type { Server } from '@grpc/grpc-js';
import type { PackageDefinition } from '@grpc/proto-loader';
import { ReflectionService } from '@grpc/reflection';
import { asBuffer } from './frames/frames.ts';

/**
 * A google.protobuf.FileDescriptorSet of all protos with their comments, written by `npm run proto`. That of the health
 * service is among them, because proto-loader's descriptors have relative type names, which tools refuse.
 */
const DESCRIPTORS = new URL('../../proto/descriptors.binpb', import.meta.url);

/** A gRPC service and its implementation. */
export type ServiceRegistry = Pick<Server, 'addService'>;

/** Adds grpc.reflection.v1 and v1alpha. They list `services` (full names) and the health service. */
export function addReflection(server: ServiceRegistry, services: string[]): void {
    // ReflectionService reads only the files of a definition.
    const all = { fileDescriptorProtos: filesOf(readFileSync(DESCRIPTORS)) };
    const protos = { all } as unknown as PackageDefinition;
    const reflection = new ReflectionService(protos, { services: [...services, 'grpc.health.v1.Health'] });
    reflection.addToServer(server);
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
