import { readFileSync } from 'node:fs';
import { BinaryReader } from '@bufbuild/protobuf/wire';
import type { handleBidiStreamingCall, Server } from '@grpc/grpc-js';
import type { PackageDefinition } from '@grpc/proto-loader';
import { ReflectionService } from '@grpc/reflection';
import { service as health } from 'grpc-health-check';
import { asAppError } from '../errors.ts';
import type { Identify } from './callers.ts';
import { asBuffer } from './frames.ts';
import { encodeStatus } from './unary.ts';

/** A google.protobuf.FileDescriptorSet of all protos, with their comments, as `npm run proto` writes it. */
const DESCRIPTORS = new URL('../../proto/descriptors.binpb', import.meta.url);

/** What a ready-made service needs of a server. */
export type ServiceRegistry = Pick<Server, 'addService'>;

type Handler = handleBidiStreamingCall<unknown, unknown>;

/** grpc.reflection.v1 and v1alpha for whoever holds a service token; they list `services` (full names) and health. */
export function addReflection(
    server: ServiceRegistry,
    { services, identify }: { services: string[]; identify: Identify },
): void {
    const own = { fileDescriptorProtos: filesOf(readFileSync(DESCRIPTORS)) };
    // Of a definition, reflection reads the files alone.
    const protos = { own, health: health['Check']?.requestType } as unknown as PackageDefinition;
    const reflection = new ReflectionService(protos, { services: [...services, 'grpc.health.v1.Health'] });
    reflection.addToServer({
        addService(definition, handlers) {
            const guarded = Object.entries(handlers).map(([name, handler]) => {
                const answer = handler as Handler; // reflection has one method, a stream both ways
                const guard: Handler = (stream) => {
                    try {
                        identify(stream.metadata);
                        answer(stream);
                    } catch (error) {
                        stream.emit('error', encodeStatus(asAppError(error)));
                    }
                };
                return [name, guard] as const;
            });
            server.addService(definition, Object.fromEntries(guarded));
        },
    });
}

/** The encoded files of a FileDescriptorSet, whose only field they are. */
function filesOf(descriptor_set: Uint8Array): Buffer[] {
    const reader = new BinaryReader(descriptor_set);
    const files: Buffer[] = [];
    while (reader.pos < reader.len) {
        reader.tag();
        files.push(asBuffer(reader.bytes()));
    }
    return files;
}
