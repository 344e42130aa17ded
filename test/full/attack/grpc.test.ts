import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import { after, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { FLOODS, PREFACE } from '../../support/http2-frames.ts';
import { observe } from './observe.ts';
import { IS_WHOLE, startTarget } from './target.ts';
import { closed, dial, repeat } from './wire.ts';

const target = await startTarget();
after(() => target.stop());
const [host = '', port = ''] = target.grpc.split(':');
const at = { host, port: Number(port) };
const ROUNDS = IS_WHOLE ? 1_000 : 40;
/** Clients that send a flood, one after the other. The process works on each flood after its client has gone. */
const RECONNECTS = IS_WHOLE ? 10_000 : 100;
const METHOD = '/identity.v1.IdentityService/Ping';

async function survive(what: string, sentBytes: number, attack: () => Promise<unknown>): Promise<void> {
    const { survived, client, givesBack } = await observe(target, attack);
    assert.ok(survived, `${what}: the process did not survive`);
    assert.deepEqual(client.failures, [], `${what}: calls of an ordinary client failed`);
    await givesBack(4 * sentBytes + (64 << 20));
}

/** Calls `use` with an HTTP/2 connection that has no service token, and closes the connection afterwards. */
async function asStranger(use: (session: ClientHttp2Session) => Promise<unknown>): Promise<void> {
    const session = connectHttp2(`http://${target.grpc}`);
    session.on('error', () => {}); // an attack continues after an error
    await use(session).finally(() => session.destroy());
}

function call(session: ClientHttp2Session, headers: Record<string, string> = {}) {
    const stream = session.request({
        ':method': 'POST',
        ':path': METHOD,
        'content-type': 'application/grpc',
        te: 'trailers',
        ...headers,
    });
    stream.on('error', () => {});
    return stream;
}

for (const [what, bytes] of Object.entries({
    nothing: Buffer.alloc(0),
    'HTTP/1.1': Buffer.from('GET / HTTP/1.1\r\nHost: a\r\n\r\n'),
    'half a preface': PREFACE.subarray(0, 10),
    'a preface': PREFACE,
    'garbage after a preface': Buffer.concat([PREFACE, randomBytes(1_000)]),
    'a frame that is too large': Buffer.concat([PREFACE, Buffer.from('ffffff010500000001', 'hex')]),
    garbage: randomBytes(1_000),
})) {
    it(`the gRPC port survives clients that send ${what} and reset, end or keep their connections`, () =>
        survive(what, 3 * ROUNDS * bytes.length, async () => {
            for (const act of ['reset', 'end', 'wait']) {
                await repeat(ROUNDS, 20, async () => {
                    const socket = await dial(at);
                    socket.write(bytes);
                    if (act === 'reset') socket.resetAndDestroy();
                    else if (act === 'end') socket.end();
                    if (act !== 'reset') await closed(socket, 20);
                    socket.destroy();
                });
            }
        }));
}

for (const [what, flood] of Object.entries(FLOODS)) {
    it(`the gRPC port survives floods of ${what}, from reconnecting clients and from many at once`, async () => {
        const bytes = flood(IS_WHOLE ? 20_000 : 2_000);
        const { survived, client, grownBytes, givesBack } = await observe(target, async () => {
            await repeat(RECONNECTS, 32, async () => {
                const socket = await dial(at);
                socket.write(bytes);
                await closed(socket, 20);
                socket.destroy();
            });
            const sockets = await Promise.all(Array.from({ length: 64 }, () => dial(at)));
            for (const socket of sockets) socket.write(PREFACE);
            await delay(100);
            for (const socket of sockets) socket.write(bytes.subarray(PREFACE.length));
            await Promise.all(sockets.map((socket) => closed(socket, 500)));
            for (const socket of sockets) socket.destroy();
        });
        assert.ok(survived, 'the process did not survive');
        assert.deepEqual(client.failures, [], 'calls of an ordinary client failed');
        const most = (IS_WHOLE ? 512 : 128) << 20;
        const forAMoment = IS_WHOLE ? 2 * most : 3 * most; // on a busy machine, memory is collected late
        assert.ok(grownBytes < forAMoment, `memory grew by ${grownBytes} bytes`);
        await givesBack(most);
    });
}

it('the gRPC port survives unknown callers that send messages of 4 MiB and never end a call', () => {
    const message = Buffer.concat([Buffer.from([0, 0, 0x3f, 0, 0]), Buffer.alloc(0x3f0000)]);
    return survive('large messages of unknown callers', 10 * message.length, () =>
        asStranger(async (session) => {
            for (let index = 0; index < 10 && !session.destroyed; index++) call(session).write(message);
            await delay(500);
        }),
    );
});

it('the gRPC port survives floods of pings and of metadata', () =>
    survive('pings and metadata', ROUNDS * 20_000, () =>
        asStranger(async (session) => {
            for (let index = 0; index < 10 * ROUNDS && !session.destroyed; index++) session.ping(() => {});
            const cookies = Object.fromEntries(
                Array.from({ length: 50 }, (_, index) => [`x-${index}`, 'a'.repeat(200)]),
            );
            for (let index = 0; index < ROUNDS && !session.destroyed; index++) call(session, cookies).end();
            await delay(500);
        }),
    ));
