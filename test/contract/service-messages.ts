import { readFileSync } from 'node:fs';
import {
    createFileRegistry,
    type DescField,
    type DescMessage,
    type DescMethod,
    fromBinary,
    ScalarType,
} from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import type { Services } from '../../gateway/services.ts';
import { SERVICE_DEFINITIONS, SERVICE_ROLES } from '../../proto/services.ts';

const bytes = readFileSync(new URL('../../proto/descriptors.binpb', import.meta.url));
const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, bytes));

function filled(field: DescField): unknown {
    switch (field.fieldKind) {
        case 'list':
            return [field.message ? full(field.message) : oneOf(field.scalar, field.name)];
        case 'message':
            return full(field.message);
        default:
            return oneOf(field.scalar, field.name);
    }
}

function oneOf(scalar: ScalarType | undefined, name: string): unknown {
    if (scalar === ScalarType.STRING) return JSON.stringify({ text: name }); // some texts are JSON objects
    if (scalar === ScalarType.BYTES) return new Uint8Array(32);
    return scalar === ScalarType.BOOL ? true : 1;
}

/** Fields without a value: the result of an item of a batch is a success, and a page of a list is the last one. */
const UNSET = ['failure', 'next_cursor'];

/** A message with a value in every field but these. */
function full({ fields }: DescMessage): Record<string, unknown> {
    const set = fields.filter(({ name }) => !UNSET.includes(name));
    return Object.fromEntries(set.map((field) => [field.name, filled(field)]));
}

/**
 * Services that pass each request to `note`, with the fields that its message has, and answer with a message that has a
 * value in every field.
 */
export function fullServices(note: (request: unknown) => void): Services {
    const services = SERVICE_ROLES.map((role) => {
        const { fullName, methods } = SERVICE_DEFINITIONS[role];
        const outputs = registry.getService(fullName)?.method ?? {};
        const calls = Object.entries(methods).map(([name, { requestType }]) => [
            name,
            async (request: never) => {
                note(requestType.fromPartial(request));
                return full((outputs[name] as DescMethod).output);
            },
        ]);
        return [role, Object.fromEntries(calls)];
    });
    return Object.fromEntries(services) as Services; // one entry for each role
}
