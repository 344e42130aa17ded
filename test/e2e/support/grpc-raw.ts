import { connect, constants, type OutgoingHttpHeaders } from 'node:http2';
import { ADDRESSES, SERVICE_TOKEN } from './grpc.ts';

/** A call without an end is cancelled after this long, in milliseconds. */
const TIMEOUT_MS = 20_000;

/** Outcome of a call: the gRPC status, or an HTTP status or HTTP/2 error instead of it. */
export interface RawOutcome {
    grpcStatus: number | undefined;
    httpStatus: number | undefined;
    /** Error code of RST_STREAM, or 0 if the stream was not reset. */
    reset: number;
}

/** Returns a message in the framing of gRPC: compression flag, length, bytes. */
export function envelope(message: Uint8Array, options: { compressed?: boolean; length?: number } = {}): Buffer {
    const head = Buffer.alloc(5);
    head.writeUInt8(options.compressed ? 1 : 0);
    head.writeUInt32BE(options.length ?? message.byteLength, 1);
    return Buffer.concat([head, message]);
}

/** Sends exactly these bytes, and default headers that `headers` overrides. An undefined header is omitted. */
export async function rawCall(body: Uint8Array, headers: OutgoingHttpHeaders = {}): Promise<RawOutcome> {
    const session = connect(`http://${ADDRESSES['credentials']}`, { maxSendHeaderBlockLength: 1 << 20 });
    session.on('error', () => {}); // the stream reports it too
    const outcome: RawOutcome = { grpcStatus: undefined, httpStatus: undefined, reset: 0 };
    const all = {
        ':method': 'POST',
        ':path': '/credentials.v1.CredentialsService/GetStatus',
        'content-type': 'application/grpc',
        te: 'trailers',
        authorization: `Bearer ${SERVICE_TOKEN}`,
        ...headers,
    };
    const stream = session.request(Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)));
    const read = (received: OutgoingHttpHeaders): void => {
        if (received[':status'] !== undefined) outcome.httpStatus = Number(received[':status']);
        if (received['grpc-status'] !== undefined) outcome.grpcStatus = Number(received['grpc-status']);
    };
    stream.on('response', read);
    stream.on('trailers', read);
    stream.on('error', () => {}); // a reset, which `outcome.reset` reports
    stream.setTimeout(TIMEOUT_MS, () => stream.close(constants.NGHTTP2_CANCEL));
    stream.resume();
    stream.end(body);
    await new Promise((resolve) => stream.on('close', resolve));
    outcome.reset = stream.rstCode ?? 0;
    session.destroy();
    return outcome;
}
