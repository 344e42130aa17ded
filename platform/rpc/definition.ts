import { isUtf8 } from 'node:buffer';
import { BinaryReader, type BinaryWriter } from '@bufbuild/protobuf/wire';
import type { CallContext } from '../context.ts';
import { AppError, asAppError } from '../errors.ts';
import { encode } from './frames/encode.ts';
import { asBuffer } from './frames/frames.ts';

/** The codec of one message, as ts-proto generates it. */
interface Codec {
    encode(message: never, writer: BinaryWriter): BinaryWriter;
    decode(input: BinaryReader | Uint8Array): unknown;
    /** Returns a message with the fields of this one that the contract defines, and no others. Bytes are shared. */
    fromPartial(message: never): unknown;
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
    requestType: Codec;
    responseType: Codec;
}

/** Sends one call to its service, and returns the answer. Fails with AppErrors only. */
export type Transport = (method: MethodInfo, request: unknown, context: CallContext) => Promise<unknown>;

/** Like Transport, for encoded messages. */
export type EncodedTransport = (method: MethodInfo, request: Uint8Array, context: CallContext) => Promise<Uint8Array>;

/** Returns a transport that encodes requests for `send`, and decodes its answers. */
export function encoding(send: EncodedTransport): Transport {
    return async (method, request, context) => {
        try {
            const encoded = encode(method.requestType, request as never); // client() pairs each request with its method
            return method.responseType.decode(await send(method, encoded, context));
        } catch (error) {
            throw asAppError(error); // the codec refuses numbers that are out of range
        }
    };
}

function methodInfo(definition: ServiceDefinition, method: MethodDefinition): MethodInfo {
    const level = method.options.idempotencyLevel;
    return {
        path: `/${definition.fullName}/${method.name}`,
        safe: level === 'NO_SIDE_EFFECTS' || level === 'IDEMPOTENT',
        requestType: method.requestType,
        responseType: method.responseType,
    };
}

/** The paths of all methods of a service. */
export function methodPaths(definition: ServiceDefinition): string[] {
    return Object.values(definition.methods).map((method) => methodInfo(definition, method).path);
}

/** Creates a client of `definition` whose calls use `transport`. */
export function client<D extends ServiceDefinition>(definition: D, transport: Transport): ServiceOf<D> {
    const calls = Object.entries(definition.methods).map(([name, method]) => {
        const info = methodInfo(definition, method);
        const call = (request: unknown, context: CallContext): Promise<unknown> => transport(info, request, context);
        return [name, call] as const;
    });
    // `calls` and ServiceOf have the same methods: those of `definition`.
    return Object.fromEntries(calls) as ServiceOf<D>;
}

/** Admits a batch by the number of its items, before it runs. Throws an AppError to refuse it. */
export type AdmitItems = (items: number) => void;

/** A method of a service in this process. */
export interface BoundMethod {
    path: string;
    /**
     * Takes and returns messages. Both are copied, so that only the fields of the contract arrive, as if they had been
     * encoded.
     */
    call(request: unknown, context: CallContext): Promise<unknown>;
    /** Takes and returns encoded messages. If the method takes a batch, it calls `admitItems` with its items first. */
    run(request: Uint8Array, context: CallContext, admitItems?: AdmitItems): Promise<Uint8Array>;
}

/** Functions that return the number of items in a request, by method, for methods that take a batch. */
export type ItemCounts<D extends ServiceDefinition> = {
    [M in keyof D['methods']]?: (request: Message<D['methods'][M]['requestType']>) => number;
};

/** Returns the methods of `implementation`. */
export function bind<D extends ServiceDefinition>(
    definition: D,
    implementation: ServiceOf<D>,
    itemCounts: ItemCounts<D> = {},
): BoundMethod[] {
    return Object.entries(definition.methods).map(([name, method]) => {
        // ServiceOf has a function for each method of the definition.
        const call = implementation[name as keyof D['methods']] as (
            request: unknown,
            context: CallContext,
        ) => Promise<unknown>;
        // ItemCounts pairs each function with the request of its method.
        const countItems = itemCounts[name as keyof D['methods']] as ((request: unknown) => number) | undefined;
        return {
            path: methodInfo(definition, method).path,
            // Messages are paired by ServiceOf, here and below.
            async call(request, context) {
                const response = await call(method.requestType.fromPartial(request as never), context);
                return method.responseType.fromPartial(response as never);
            },
            async run(request, context, admitItems) {
                const decoded = decodeRequest(method.requestType, request);
                if (admitItems && countItems) admitItems(countItems(decoded));
                const response = await call(decoded, context);
                return encode(method.responseType, response as never);
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
