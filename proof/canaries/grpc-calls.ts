import { call, METHODS, methodAt, READER_TOKEN } from '../../test/e2e/support/grpc.ts';
import { envelope, rawCall } from '../../test/e2e/support/grpc-raw.ts';
import type { Canaries } from './canary.ts';

/** What proto-loader tells of a message, as google/protobuf/descriptor.proto has it. */
interface MessageType {
    field: Array<{ name: string; type: string; label: string; typeName: string }>;
    nestedType: Array<MessageType & { name: string }>;
}

/**
 * Calls every gRPC method with a canary in each field: as one of the service's own processes, as nobody, as a foreign service and
 * as a stranger; and sends what is no call. Gives the answers of refusals.
 */
export async function callOverGrpc(canaries: Canaries): Promise<string[]> {
    const refusals: string[] = [];
    for (const name of METHODS) {
        const { requestType, requestStream } = methodAt(name);
        if (requestStream) continue; // the frames between processes, which the calls over HTTP go through
        const type = requestType.type as MessageType; // as proto-loader makes it
        for (const token of [undefined, null, READER_TOKEN, canaries.text(`service token for ${name}`)]) {
            const request = messageOf(type, (field) => canaries.text(`field ${field} of ${name}`));
            const metadata = {
                'x-request-id': canaries.text(`metadata of ${name}`).padEnd(200, ' x'),
                'idempotency-key': canaries.text(`idempotency-key of ${name}`),
            };
            const options = token === undefined ? { metadata } : { metadata, token };
            const { code, details, trailers } = await call(name, request, options);
            if (code !== 0) refusals.push(JSON.stringify([details, trailers]));
        }
    }
    return [...refusals, ...(await sendRawCalls(canaries))];
}

function messageOf({ field: fields }: MessageType, canary: (field: string) => string): Record<string, unknown> {
    return Object.fromEntries(
        fields.flatMap(({ name, type, label }) => {
            if (type !== 'TYPE_STRING' && type !== 'TYPE_BYTES') return [];
            const value = type === 'TYPE_BYTES' ? Buffer.from(canary(name)) : canary(name);
            return [[name, label === 'LABEL_REPEATED' ? [value] : value]];
        }),
    );
}

async function sendRawCalls(canaries: Canaries): Promise<string[]> {
    const canary = (where: string): Buffer => Buffer.from(canaries.text(`${where} over HTTP/2`));
    const message = (where: string): Buffer => {
        const text = canary(where);
        return Buffer.concat([Buffer.of(0x0a, text.length), text]);
    };
    const outcomes = [
        await rawCall(canary('no message')),
        await rawCall(envelope(canary('message that is none'))),
        await rawCall(envelope(message('cut message').subarray(0, -1), { length: 26 })),
        await rawCall(envelope(Buffer.concat([message('message that is too long'), Buffer.alloc(5 << 20)]))),
        await rawCall(envelope(message('other path')), { ':path': `/${canary('path')}/Get` }),
        await rawCall(envelope(message('other scheme')), { authorization: `Basic ${canary('Basic token')}` }),
        await rawCall(envelope(message('other type')), { 'content-type': `text/${canary('media type')}` }),
        await rawCall(envelope(message('deadline')), { 'grpc-timeout': String(canary('deadline')) }),
        await rawCall(envelope(message('account')), { 'x-on-behalf-of': String(canary('account')) }),
        await rawCall(envelope(message('trace')), { traceparent: String(canary('trace')) }),
        await rawCall(envelope(message('coding')), { 'grpc-encoding': String(canary('coding')) }),
    ];
    return outcomes.map((outcome) => JSON.stringify(outcome));
}
