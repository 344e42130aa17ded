/** HTTP/2 frames (RFC 9113) and headers (RFC 7541) for clients that break the protocol. */

const TYPES = {
    data: 0,
    headers: 1,
    priority: 2,
    reset: 3,
    settings: 4,
    ping: 6,
    window: 8,
    continuation: 9,
    unknown: 0xee,
};
const END_STREAM = 1;
const END_HEADERS = 4;
const CANCEL = Buffer.of(0, 0, 0, 8);

function frame(type: keyof typeof TYPES, flags: number, stream: number, payload: Uint8Array = Buffer.alloc(0)): Buffer {
    const head = Buffer.alloc(9);
    head.writeUIntBE(payload.byteLength, 0, 3);
    head.writeUInt8(TYPES[type], 3);
    head.writeUInt8(flags, 4);
    head.writeUInt32BE(stream, 5);
    return Buffer.concat([head, payload]);
}

/** A literal header without indexing. Its name and value must be shorter than 127 bytes. */
function literal(name: string, value: string): Buffer {
    const [nameBytes, valueBytes] = [Buffer.from(name), Buffer.from(value)];
    return Buffer.concat([Buffer.of(0, nameBytes.length), nameBytes, Buffer.of(valueBytes.length), valueBytes]);
}

/** The connection preface: the first bytes that a client sends. */
export const PREFACE = Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), frame('settings', 0, 0)]);

/** The headers of a call. `:method: POST` and `:scheme: http` are indexes into the static table. */
export function callHeaders(path: string, more: Record<string, string> = {}): Buffer {
    const all = { ':authority': 'a', ':path': path, 'content-type': 'application/grpc', te: 'trailers', ...more };
    return Buffer.concat([Buffer.of(0x83, 0x86), ...Object.entries(all).map((header) => literal(...header))]);
}

const HEALTH = callHeaders('/grpc.health.v1.Health/Watch');
const idOf = (index: number): number => 2 * index + 1;
const openStream = (index: number, flags: number, block = HEALTH): Buffer =>
    frame('headers', flags | END_HEADERS, idOf(index), block);

/** Repeats one or several frames after the preface and the frames in `first`. */
const flood =
    (each: (index: number) => Buffer, first: Buffer = Buffer.alloc(0)) =>
    (count: number): Buffer =>
        Buffer.concat([PREFACE, first, ...Array.from({ length: count }, (_, index) => each(index))]);

/** The bytes that flood a server with `count` frames of one kind, including the preface. */
export const FLOODS = {
    'streams that are reset at once': flood((index) =>
        Buffer.concat([openStream(index, 0), frame('reset', 0, idOf(index), CANCEL)]),
    ),
    'streams that end at once': flood((index) => openStream(index, END_STREAM)),
    'streams to nothing': flood((index) => openStream(index, END_STREAM, callHeaders('/nothing/Nothing'))),
    'streams with broken headers': flood((index) => openStream(index, END_STREAM, Buffer.of(0x83, 0x86))),
    PING: flood(() => frame('ping', 0, 0, Buffer.alloc(8))),
    SETTINGS: flood(() => frame('settings', 0, 0)),
    PRIORITY: flood((index) => frame('priority', 0, idOf(index), Buffer.of(0, 0, 0, 0, 1))),
    WINDOW_UPDATE: flood(() => frame('window', 0, 0, Buffer.of(0, 0, 0, 1))),
    'empty DATA': flood(() => frame('data', 0, 1), openStream(0, 0)),
    CONTINUATION: flood(() => frame('continuation', 0, 1, literal('a', 'b')), frame('headers', 0, 1, HEALTH)),
    'frames of unknown types': flood(() => frame('unknown', 0, 0)),
} satisfies Record<string, (count: number) => Buffer>;
