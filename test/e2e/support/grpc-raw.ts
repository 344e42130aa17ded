import { connect, constants, type OutgoingHttpHeaders } from 'node:http2';
import { ADDRESSES, SERVICE_TOKEN } from './grpc.ts';

const TIMEOUT_MS = 20_000;

/** What came of a call: gRPC's status, or the HTTP status or HTTP/2 error that took its place. */
export interface RawOutcome {
    grpc_status: number | undefined;
    http_status: number | undefined;
    /** Of RST_STREAM: 0 where there was none. */
    reset: number;
}

/** A message as it travels: flag for compression, length, bytes. */
export function envelope(message: Uint8Array, options: { compressed?: boolean; length?: number } = {}): Buffer {
    const head = Buffer.alloc(5);
    head.writeUInt8(options.compressed ? 1 : 0);
    head.writeUInt32BE(options.length ?? message.byteLength, 1);
    return Buffer.concat([head, message]);
}

/** Sends these very headers and bytes; a header that is undefined is left out. */
export async function rawCall(body: Uint8Array, headers: OutgoingHttpHeaders = {}): Promise<RawOutcome> {
    const session = connect(`http://${ADDRESSES['credentials']}`, { maxSendHeaderBlockLength: 1 << 20 });
    session.on('error', () => {}); // told by the stream too
    const outcome: RawOutcome = { grpc_status: undefined, http_status: undefined, reset: 0 };
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
        if (received[':status'] !== undefined) outcome.http_status = Number(received[':status']);
        if (received['grpc-status'] !== undefined) outcome.grpc_status = Number(received['grpc-status']);
    };
    stream.on('response', read);
    stream.on('trailers', read);
    stream.on('error', () => {}); // a reset, which the outcome tells
    stream.setTimeout(TIMEOUT_MS, () => stream.close(constants.NGHTTP2_CANCEL));
    stream.resume();
    stream.end(body);
    await new Promise((resolve) => stream.on('close', resolve));
    outcome.reset = stream.rstCode ?? 0;
    session.destroy();
    return outcome;
}
