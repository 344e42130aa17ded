import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, afterEach, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Metadata, type StatusObject, status } from '@grpc/grpc-js';
import { addressOf, call, clientOf, closeClients, READER_TOKEN, SERVICE_TOKEN } from '../support/grpc.ts';
import { envelope, type RawOutcome, rawCall } from '../support/grpc-raw.ts';

const GET_STATUS = 'credentials.v1.CredentialsService/GetStatus';
const UNKNOWN_ID = 'urn:uuid:01a1fa7f-031b-7000-91c0-822385047890';
/** A GetStatus request with an unknown id. */
const REQUEST = Buffer.concat([Buffer.of(0x0a, UNKNOWN_ID.length), Buffer.from(UNKNOWN_ID)]);

after(closeClients);
afterEach(async () => {
    const { code, details } = await call('credentials.v1.CredentialsService/Ping', {});
    assert.equal(code, status.OK, `the process does not answer: ${details}`);
});

function assertStatus(outcome: RawOutcome, code: status): void {
    assert.equal(outcome.grpcStatus, code, `${status[outcome.grpcStatus ?? -1]}: ${JSON.stringify(outcome)}`);
}

describe('a call over raw HTTP/2', () => {
    it('is answered if it is well-formed', async () => {
        assertStatus(await rawCall(envelope(REQUEST)), status.NOT_FOUND);
    });

    const bomb = gzipSync(Buffer.alloc(64 << 20));
    const GZIP = { 'grpc-encoding': 'gzip' };
    const refused: Array<[what: string, code: status, body: Buffer, headers?: Record<string, string | undefined>]> = [
        ['without a credential', status.UNAUTHENTICATED, envelope(REQUEST), { authorization: undefined }],
        ['with another scheme', status.UNAUTHENTICATED, envelope(REQUEST), { authorization: `Basic ${SERVICE_TOKEN}` }],
        ['with a token and no scheme', status.UNAUTHENTICATED, envelope(REQUEST), { authorization: SERVICE_TOKEN }],
        ['with a wrong token', status.UNAUTHENTICATED, envelope(REQUEST), { authorization: 'Bearer wrong' }],
        [
            'to an unknown method',
            status.UNIMPLEMENTED,
            envelope(REQUEST),
            { ':path': '/credentials.v1.CredentialsService/Nothing' },
        ],
        [
            'to an unknown service',
            status.UNIMPLEMENTED,
            envelope(REQUEST),
            { ':path': '/nothing.v1.NothingService/Get' },
        ],
        ['to an invalid path', status.UNIMPLEMENTED, envelope(REQUEST), { ':path': '/' }],
        [
            'to a property of Object.prototype',
            status.UNIMPLEMENTED,
            envelope(REQUEST),
            { ':path': '/__proto__/constructor' },
        ],
        ['with a message of 5 MiB', status.RESOURCE_EXHAUSTED, envelope(Buffer.alloc(5 << 20))],
        ['that announces 4 GiB', status.RESOURCE_EXHAUSTED, envelope(REQUEST, { length: 0xffffffff })],
        ['with 64 MiB compressed to 64 KiB', status.RESOURCE_EXHAUSTED, envelope(bomb, { compressed: true }), GZIP],
        ['with invalid compressed data', status.INTERNAL, envelope(randomBytes(1_000), { compressed: true }), GZIP],
        [
            'in an unknown compression',
            status.UNIMPLEMENTED,
            envelope(REQUEST, { compressed: true }),
            { 'grpc-encoding': 'lzma' },
        ],
        ['with text that is not UTF-8', status.INVALID_ARGUMENT, envelope(Buffer.of(0x0a, 2, 0xc3, 0x28))],
        ['with a lone surrogate', status.INVALID_ARGUMENT, envelope(Buffer.of(0x0a, 3, 0xed, 0xa0, 0x80))],
        ['with a truncated field', status.INVALID_ARGUMENT, envelope(Buffer.of(0x0a, 0xff))],
        ['with an invalid message', status.INVALID_ARGUMENT, envelope(Buffer.alloc(1_000, 0xff))],
        ['with deeply nested groups', status.INVALID_ARGUMENT, envelope(Buffer.alloc(1 << 20, 0x0b))],
        ['with an empty message', status.INVALID_ARGUMENT, envelope(Buffer.alloc(0))],
        ['with a deadline that has passed', status.DEADLINE_EXCEEDED, envelope(REQUEST), { 'grpc-timeout': '0m' }],
        ['with a deadline of 1 ns', status.DEADLINE_EXCEEDED, envelope(REQUEST), { 'grpc-timeout': '1n' }],
        ['with an invalid deadline', status.INTERNAL, envelope(REQUEST), { 'grpc-timeout': 'soon' }],
        ['with a very long deadline', status.NOT_FOUND, envelope(REQUEST), { 'grpc-timeout': '20000S' }],
        ['with an invalid account id', status.INVALID_ARGUMENT, envelope(REQUEST), { 'x-on-behalf-of': "' OR 1=1 --" }],
        ['with a request id of 4 KiB', status.NOT_FOUND, envelope(REQUEST), { 'x-request-id': 'x'.repeat(4_096) }],
        [
            'with two tokens',
            status.UNAUTHENTICATED,
            envelope(REQUEST),
            { authorization: `Bearer x, Bearer ${SERVICE_TOKEN}` },
        ],
    ];
    for (const [what, code, body, headers] of refused) {
        it(`${what} is answered with ${status[code]}`, async () => assertStatus(await rawCall(body, headers), code));
    }

    it('with a negative deadline gets an answer of any status', async () => {
        const { grpcStatus } = await rawCall(envelope(REQUEST), { 'grpc-timeout': '-1S' });
        assert.notEqual(grpcStatus, undefined);
    });

    it('with 17 KiB, 64 KiB or 1 MiB of metadata is refused', async () => {
        for (const size of [17 << 10, 64 << 10]) {
            const headers = { 'x-junk': 'x'.repeat(size) };
            assertStatus(await rawCall(envelope(REQUEST), headers), status.RESOURCE_EXHAUSTED);
            const { code } = await call(GET_STATUS, { credential_id: UNKNOWN_ID }, { metadata: headers });
            assert.equal(code, status.RESOURCE_EXHAUSTED);
        }
        const { reset, grpcStatus } = await rawCall(envelope(REQUEST), { 'x-junk': 'x'.repeat(1 << 20) });
        assert.ok(reset !== 0 || grpcStatus !== status.OK);
    });

    it('that is not gRPC is refused with an HTTP status', async () => {
        const { httpStatus } = await rawCall(envelope(REQUEST), { 'content-type': 'application/json' });
        assert.equal(httpStatus, 415);
    });

    it('that ends within or before its message gets an error', async () => {
        for (const body of [Buffer.alloc(0), Buffer.alloc(3), envelope(REQUEST).subarray(0, 20)]) {
            const { grpcStatus } = await rawCall(body);
            assert.ok(grpcStatus !== undefined && grpcStatus !== status.OK);
        }
    });
});

describe('the frame stream', () => {
    /** Writes bytes as frames. Returns the status with which the stream ended. */
    async function exchange(token: string, frames: Buffer[]): Promise<status> {
        const metadata = new Metadata();
        metadata.set('authorization', `Bearer ${token}`);
        const same = (bytes: Buffer): Buffer => bytes;
        const path = '/rpc.v1.FrameService/Exchange';
        const stream = clientOf(addressOf(GET_STATUS)).makeBidiStreamRequest(path, same, same, metadata);
        stream.resume();
        stream.on('error', () => {}); // the status event reports it
        for (const frame of frames) stream.write(frame);
        stream.end();
        return new Promise((resolve) => stream.on('status', ({ code }: StatusObject) => resolve(code)));
    }

    it('is refused to other services and to unknown callers', async () => {
        assert.equal(await exchange(READER_TOKEN, []), status.PERMISSION_DENIED);
        assert.equal(await exchange('wrong', []), status.UNAUTHENTICATED);
    });

    it('survives garbage, which does not affect other calls', async () => {
        const callsWithoutAnything = Buffer.concat(Array.from({ length: 10_000 }, () => Buffer.of(0x0a, 0x00)));
        const garbage = [
            [Buffer.alloc(1_000, 0xff)],
            [randomBytes(10_000)],
            [Buffer.alloc(5 << 20)],
            [callsWithoutAnything, callsWithoutAnything],
            [Buffer.alloc(0), Buffer.of(0x18, 0x01), Buffer.of(0x12, 0x00)],
        ];
        for (const frames of garbage) assert.equal(typeof (await exchange(SERVICE_TOKEN, frames)), 'number');
    });
});

it('each of 2,000 calls at once is answered', async () => {
    const outcomes = await Promise.all(
        Array.from({ length: 2_000 }, () => call(GET_STATUS, { credential_id: UNKNOWN_ID }, { timeout_ms: 60_000 })),
    );
    const codes = new Set(outcomes.map(({ code }) => code));
    assert.ok([...codes].every((code) => code === status.NOT_FOUND || code === status.UNAVAILABLE));
    assert.ok(codes.has(status.NOT_FOUND));
});
