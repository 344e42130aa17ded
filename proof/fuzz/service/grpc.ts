import { type ClientDuplexStream, Metadata, type ServiceError, type StatusObject, status } from '@grpc/grpc-js';
import { Frame } from '../../../proto/gen/rpc/v1/frames.ts';
import { addressOf, clientOf, methodAt, READER_TOKEN, SERVICE_TOKEN } from '../../../test/e2e/support/grpc.ts';
import { mutated } from '../mutator.ts';
import type { Random } from '../random.ts';
import { type CallPool, type RandomCall, someCall } from './calls.ts';

/** Longest time that a call may take, in milliseconds. */
const HANG_MS = 15_000;
const FRAMES_PER_STREAM = 8;
const EXCHANGE = 'rpc.v1.FrameService/Exchange';

const same = (bytes: Buffer): Buffer => bytes;

/** Sends one call with odd metadata. The result has a `fault` if the answer is late, INTERNAL, UNKNOWN or DATA_LOSS. */
export async function attackUnary(pool: CallPool, random: Random): Promise<RandomCall & { fault?: string }> {
    const call = someCall(pool, random);
    const { code, details } = await send(call, metadataFor(pool, random));
    const good = ![status.INTERNAL, status.UNKNOWN, status.DEADLINE_EXCEEDED, status.DATA_LOSS].includes(code);
    return good ? call : { ...call, fault: `${call.name}: ${status[code]}: ${details}` };
}

function metadataFor(pool: CallPool, random: Random): Metadata {
    const metadata = new Metadata();
    metadata.set('authorization', `Bearer ${random.oneIn(20) ? READER_TOKEN : SERVICE_TOKEN}`);
    const odd = [
        '',
        'x',
        'free',
        'enterprise',
        'true',
        '127.0.0.1',
        '::1',
        "' OR 1=1 --",
        'x'.repeat(3_000),
        '00-0-0-0',
    ];
    if (!random.oneIn(4)) metadata.set('x-on-behalf-of', random.pick(pool.userIds) ?? '');
    if (random.oneIn(2)) metadata.set('x-account-tier', random.pick(['free', 'enterprise', 'none', ''] as const));
    if (random.oneIn(2)) metadata.set('x-trusted', random.pick(['true', 'false', '1'] as const));
    for (const name of ['x-request-id', 'traceparent', 'x-session-id', 'x-key-id', 'x-client-address']) {
        if (random.oneIn(3)) metadata.set(name, random.pick(odd) ?? '');
    }
    return metadata;
}

function send({ name, request }: RandomCall, metadata: Metadata): Promise<{ code: status; details: string }> {
    const { path } = methodAt(name);
    const deadline = Date.now() + HANG_MS;
    return new Promise((resolve) => {
        clientOf(addressOf(name)).makeUnaryRequest(
            path,
            same,
            same,
            request,
            metadata,
            { deadline },
            (error: ServiceError | null) => resolve({ code: error?.code ?? status.OK, details: error?.details ?? '' }),
        );
    });
}

/**
 * Sends frames with calls on one stream; the last frame may be broken. On a stream without a broken frame the service
 * must answer every call, never with `internal`, and end the stream in time. Returns the last frame, and a `fault` if
 * there was one.
 */
export async function attackStream(pool: CallPool, random: Random): Promise<{ frame: Buffer; fault?: string }> {
    const metadata = new Metadata();
    metadata.set('authorization', `Bearer ${SERVICE_TOKEN}`);
    const address = addressOf('identity.v1.IdentityService/Ping');
    const stream: ClientDuplexStream<Buffer, Buffer> = clientOf(address).makeBidiStreamRequest(
        methodAt(EXCHANGE).path,
        same,
        same,
        metadata,
    );
    let internal: string | undefined;
    let answered = 0;
    stream.on('error', () => {}); // the status reports it
    stream.on('data', (bytes: Buffer) => {
        const { replies } = Frame.decode(bytes);
        answered += replies.length;
        for (const { id, error } of replies) if (error?.kind === 'internal') internal = `internal: ${methods[id]}`;
    });
    const ended = new Promise<StatusObject>((resolve) => stream.on('status', resolve));
    const timer = setTimeout(() => stream.cancel(), HANG_MS);
    const { methods, frame, isBroken } = writeFrames(stream, pool, random);
    while (!isBroken && answered < methods.length && !stream.destroyed) {
        if ((await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 10))])) !== undefined) break;
    }
    stream.end();
    const { code, details } = await ended;
    clearTimeout(timer);
    if (internal !== undefined) return { frame, fault: internal };
    if (!isBroken && answered < methods.length)
        return { frame, fault: `${answered} of ${methods.length} calls were answered; ${status[code]}: ${details}` };
    // A frame that cannot be decoded ends the stream. The gRPC library then answers INTERNAL.
    const good = isBroken ? code !== status.UNKNOWN && code !== status.CANCELLED : code === status.OK;
    return good ? { frame } : { frame, fault: `the stream ends with ${status[code]}: ${details}` };
}

function writeFrames(stream: ClientDuplexStream<Buffer, Buffer>, pool: CallPool, random: Random) {
    const methods: string[] = [];
    let frame: Buffer = Buffer.alloc(0);
    const frames = 1 + random.below(FRAMES_PER_STREAM);
    const isBroken = random.oneIn(3);
    for (let written = 1; written <= frames; written++) {
        const calls = Array.from({ length: random.below(8) }, () => ({ ...someCall(pool, random), id: 0 }));
        for (const call of calls) call.id = methods.push(call.name) - 1;
        frame = encoded(calls, pool, random);
        if (isBroken && written === frames) {
            frame = mutated(frame, frame, {
                random,
                dictionary: ['\n\x00', '*\x02\x01\x02', '\x18\x01', '\x0b', '\xff'],
                maxBytes: 1 << 20,
            });
        }
        stream.write(frame);
    }
    return { methods, frame, isBroken };
}

function encoded(calls: ReadonlyArray<RandomCall & { id: number }>, pool: CallPool, random: Random): Buffer {
    const frame: Frame = {
        calls: calls.map(({ id, name, request }) => ({
            id,
            method: random.oneIn(30) ? `/${name}x` : `/${name}`,
            timeout_ms: random.oneIn(10) ? random.below(200) : 10_000,
            context: random.oneIn(20)
                ? undefined
                : { request_id: 'fuzz', user_id: random.pick(pool.userIds), trusted: random.oneIn(2) },
            request,
        })),
        replies: [],
        draining: random.oneIn(20),
        last_call: random.below(3),
        cancelled: random.oneIn(10) ? calls.map(({ id }) => id) : [],
    };
    return Buffer.from(Frame.encode(frame).finish());
}
