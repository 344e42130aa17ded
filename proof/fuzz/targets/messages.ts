import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { BinaryReader } from '@bufbuild/protobuf/wire';
import { loadSync, type MethodDefinition } from '@grpc/proto-loader';
import { FRAME_METHOD } from '../../../platform/rpc/frames/frames.ts';
import { Frame } from '../../../proto/gen/rpc/v1/frames.ts';
import { target } from '../parsers/target.ts';

/** The protos, loaded by another implementation (protobuf.js). */
const PROTOS = loadSync(globSync('*/v1/*.proto', { cwd: 'proto' }), {
    includeDirs: ['proto'],
    keepCase: true,
    longs: Number,
    defaults: true,
    arrays: true,
});

const exchange = Object.values(PROTOS)
    .flatMap((definition) => ('format' in definition ? [] : Object.values(definition)))
    .find(({ path }) => path === FRAME_METHOD.path) as MethodDefinition<object, object>; // the protos define it

const EMPTY: Frame = { calls: [], replies: [], draining: false, last_call: 0, cancelled: [] };
const CALL = {
    id: 1,
    method: '/credentials.v1.CredentialsService/GetStatus',
    timeout_ms: 900,
    context: { request_id: 'r', user_id: 'u', trusted: false },
    request: Buffer.of(10, 1, 65),
};
const FRAMES: Frame[] = [
    { ...EMPTY, calls: [CALL, { ...CALL, id: 2 }] },
    { ...EMPTY, cancelled: [1, 2, 3] },
    { ...EMPTY, draining: true, last_call: 7 },
    { ...EMPTY, replies: [{ id: 1, response: Buffer.of(1), error: { kind: 'invalid', detail: 'é', retry_after: 1 } }] },
];

type Decoded = { frame: Frame } | { refused: string };

/**
 * Any bytes decode to a frame or throw an Error. Both implementations must read the same message from the same bytes.
 */
export const frame = target({
    name: 'frame',
    seeds: [...FRAMES.map((message) => Frame.encode(message).finish()), Buffer.alloc(0), Buffer.alloc(64, 0x0b)],
    dictionary: ['\n\x02\x08\x01', '\x1a\x00', '*\x02\x01\x02', '\x0b', '\x0c', '\n', '\x12', '\x18\x01', '\x7f'],
    maxBytes: 256 << 10,
    parse(input): Decoded {
        try {
            return { frame: Frame.decode(new BinaryReader(input)) };
        } catch (error) {
            if (error instanceof Error) return { refused: error.message };
            throw error;
        }
    },
    check(_input, decoded) {
        if ('refused' in decoded) return assert.ok(!/stack/i.test(decoded.refused), decoded.refused);
        // Compares bytes, because assert takes minutes to describe how large objects differ.
        const bytes = encoded(decoded.frame);
        assert.ok(encoded(Frame.decode(bytes)).equals(bytes), 'encoding it again changes it');
        const byOther = Frame.decode(exchange.requestSerialize(exchange.requestDeserialize(bytes)));
        assert.ok(encoded(byOther).equals(bytes), 'the other implementation reads another message');
    },
});

function encoded(message: Frame): Buffer {
    return Buffer.from(Frame.encode(message).finish());
}
