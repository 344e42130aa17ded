import { isUtf8 } from 'node:buffer';
import { BinaryReader, type BinaryWriter } from '@bufbuild/protobuf/wire';
import type { CallContext } from '../context.ts';
import { AppError } from '../errors.ts';
import { encode } from './frames/encode.ts';
import { asBuffer } from './frames/frames.ts';

/** The codec of one message, as ts-proto generates it. */
interface Codec {
    encode(message: never, writer: BinaryWriter): BinaryWriter;
    decode(input: BinaryReader | Uint8Array): unknown;
}

interface MethodDefinition {
    name: string;
    requestType: Codec;
    responseType: Codec;
    options: { idempotencyLevel?: string };
}

/** A service as ts-proto's generic definitions describe it. */
export interface ServiceDefinition {
    fullName: string;
    methods: Record<string, MethodDefinition>;
}

type Message<C extends Codec> = ReturnType<C['decode']>;

/** A service's methods as plain functions. Implementations and clients have this shape, wherever the service runs. */
export type ServiceOf<D extends ServiceDefinition> = {
    [M in keyof D['methods']]: (
        request: Message<D['methods'][M]['requestType']>,
        context: CallContext,
    ) => Promise<Message<D['methods'][M]['responseType']>>;
};

/** What a transport needs to know about a method. */
export interface MethodInfo {
    /** `/package.Service/Method` */
    path: string;
    /** True if the call may be repeated when it is unknown whether it has run. */
    safe: boolean;
}

/** Sends one encoded call to its service, and returns the encoded answer. Fails with AppErrors only. */
export type Transport = (method: MethodInfo, request: Uint8Array, context: CallContext) => Promise<Uint8Array>;

function methodInfo(definition: ServiceDefinition, method: MethodDefinition): MethodInfo {
    const level = method.options.idempotencyLevel;
    return {
        path: `/${definition.fullName}/${method.name}`,
        safe: level === 'NO_SIDE_EFFECTS' || level === 'IDEMPOTENT',
    };
}

/** Creates a client of `definition` whose calls use `transport`. */
export function client<D extends ServiceDefinition>(definition: D, transport: Transport): ServiceOf<D> {
    const calls = Object.entries(definition.methods).map(([name, method]) => {
        const info = methodInfo(definition, method);
        const call = async (request: unknown, context: CallContext): Promise<unknown> => {
            // ServiceOf pairs each request with the codec of its own method.
            const encoded = encode(method.requestType, request as never);
            return method.responseType.decode(await transport(info, encoded, context));
        };
        return [name, call] as const;
    });
    // `calls` and ServiceOf have the same methods: those of `definition`.
    return Object.fromEntries(calls) as ServiceOf<D>;
}

/** A method that takes and returns encoded messages. */
export interface BoundMethod {
    path: string;
    run(request: Uint8Array, context: CallContext): Promise<Uint8Array>;
}

/** Returns the methods of `implementation`, for encoded messages. */
export function bind<D extends ServiceDefinition>(definition: D, implementation: ServiceOf<D>): BoundMethod[] {
    return Object.entries(definition.methods).map(([name, method]) => {
        // ServiceOf has a function for each method of the definition.
        const call = implementation[name as keyof D['methods']] as (
            request: unknown,
            context: CallContext,
        ) => Promise<unknown>;
        return {
            path: methodInfo(definition, method).path,
            async run(request, context) {
                const response = await call(decodeRequest(method.requestType, request), context);
                return encode(method.responseType, response as never); // paired by ServiceOf, as above
            },
        };
    });
}

function decodeRequest(codec: Codec, request: Uint8Array): unknown {
    try {
        const reader = new BinaryReader(request, strictText);
        const message = codec.decode(reader);
        // The decoders stop at the end of a group and would silently ignore what follows.
        if (reader.pos < reader.len) throw new Error('there are bytes after the end of the message');
        return message;
    } catch (error) {
        throw new AppError('invalid', 'The request is not a valid message of this method.', { cause: error });
    }
}

/** Decodes text strictly: protobuf's own decoder would replace invalid UTF-8 with U+FFFD. */
function strictText(bytes: Uint8Array): string {
    if (!isUtf8(bytes)) throw new Error('a string field is not UTF-8');
    return asBuffer(bytes).toString('utf8');
}
