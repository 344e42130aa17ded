import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { createClient } from '../../../client/src/client.ts';
import { type EndpointId, endpointTable } from '../../../gateway/endpoints/index.ts';
import { operationOf } from '../../../gateway/openapi/operations/index.ts';
import { answerSchemaOf } from '../../../gateway/openapi/schemas.ts';
import { faults, operations } from '../../support/openapi.ts';
import { type Call, checkedFetch, expectError, GATEWAYS, INTERNAL_SECRET, send } from '../support/client.ts';
import { exampleCall, exampleOf } from '../support/examples.ts';
import { aManagedIssuer } from '../support/world.ts';

const endpoints = endpointTable({ version: '', cache: async () => {}, clock: Date.now });

const BAD_KEYS = {
    'that is empty': '',
    'that is too long': 'x'.repeat(256),
    'that is not ASCII': 'caf\u00e9-0123456789abcdef',
    'that has an unclosed quote': '"0123456789abcdef',
    'that is sent twice': '0123456789abcdef, 0123456789abcdef',
};

describe('every endpoint', () => {
    for (const { id, method, answer, status, message, bare, document, lines, streams } of endpoints) {
        it(`${id} answers its example with the declared status and only declared fields`, async () => {
            const { token, internal, run } = await exampleOf(id);
            const answers: Response[] = [];
            const client = createClient({
                base_url: GATEWAYS[1] as string, // not the gateway that created the objects of the example
                token,
                internal_secret: internal && INTERNAL_SECRET,
                async fetch(url, init) {
                    const response = await checkedFetch(url, init);
                    assert.equal(init.method, method);
                    answers.push(response.clone());
                    return response;
                },
            });
            const data = await run(client);
            const schema = answerSchemaOf(answer, operationOf(id).fields);
            const shown = streams ? (data as unknown[]) : [data]; // the example collects the lines
            for (const each of shown) assert.deepEqual(faults({ ...schema, unevaluatedProperties: false }, each), []);
            const [response] = answers;
            assert.deepEqual([answers.length, response?.status], [1, status]);
            if (document) assert.equal(response?.headers.get('content-type'), document.contentType);
            if (bare || document || lines || streams) return;
            const body = (await response?.json()) as { message: string }; // checkedFetch asserts it
            assert.equal(body.message, message);
        });
    }
});

describe('an idempotent operation', () => {
    const repeatable = operations.filter(
        ({ method, operation }) => method !== 'get' && operation['x-idempotent'] === true,
    );
    for (const { operation } of repeatable) {
        it(`${operation.operationId} returns the same answer when it is repeated, on both gateways`, async () => {
            const call = await exampleCall(operation.operationId as EndpointId); // the document is made from the table
            const first = await send(call);
            assert.ok(first.status < 300, first.text);
            for (const gateway of [0, 1]) {
                const again = await send({ ...call, gateway });
                assert.deepEqual([again.status, again.text], [first.status, first.text]);
            }
        });
    }
});

describe('an operation that is idempotent by key', () => {
    const repeatable = operations.filter(({ operation }) => operation['x-idempotent'] === 'by-key');
    for (const { operation } of repeatable) {
        const id = operation.operationId as EndpointId; // the document is made from the table

        it(`${id} returns the same bytes for the same Idempotency-Key, on both gateways, and says so`, async () => {
            const key = randomUUID();
            const call = { ...(await exampleCall(id)), headers: { 'idempotency-key': key } };
            const first = await send(call);
            assert.ok(first.status < 300, first.text);
            assert.equal(first.headers.get('idempotent-replayed'), null);
            for (const gateway of [0, 1]) {
                const headers = { 'idempotency-key': gateway === 0 ? key : `"${key}"` };
                const again = await send({ ...call, gateway, headers });
                assert.deepEqual([again.status, again.text], [first.status, first.text]);
                assert.equal(again.headers.get('idempotent-replayed'), 'true');
            }
        });

        it(`${id} answers 422 to another request with the same Idempotency-Key`, async () => {
            const headers = { 'idempotency-key': randomUUID() };
            const call = { ...(await exampleCall(id)), headers };
            assert.ok((await send(call)).status < 300);
            const refusal = await expectError(422, { ...call, ...(await otherRequest(id, call)) });
            assert.equal(refusal.headers.get('x-error-code'), 'unprocessable');
            assert.equal(refusal.body.error, 'This Idempotency-Key was used for another request.');
            assert.equal(refusal.headers.get('idempotent-replayed'), null);
        });

        it(`${id} refuses an Idempotency-Key ${Object.keys(BAD_KEYS).join(', ')}`, async () => {
            const call = await exampleCall(id); // a refusal changes nothing
            for (const [name, key] of Object.entries(BAD_KEYS)) {
                const { body } = await expectError(400, { ...call, headers: { 'idempotency-key': key } });
                assert.match(body.error, /^Idempotency-Key must /, name);
            }
        });
    }
});

/** Returns what makes the call of the example another valid request: its body or its path. */
async function otherRequest(id: string, { token = '', body }: Call): Promise<Partial<Call>> {
    if (id !== 'issuers.rotate') return { body: otherBody(id, body) };
    const { issuer_id } = await aManagedIssuer({ token });
    return { path: `/v1/issuers/${issuer_id}/rotate` };
}

/** Returns a valid body that differs from the one of the example. */
function otherBody(id: string, body: unknown): unknown {
    const sent = (typeof body === 'string' ? JSON.parse(body) : (body ?? {})) as Record<string, unknown>;
    switch (id.replace('internal.', '')) {
        case 'did.create':
            return { public_key: Buffer.alloc(32, 9).toString('base64') };
        case 'credentials.issue':
        case 'offers.create':
            return { ...sent, claims: { role: 'other' } };
        case 'credentials.batch.issue':
            return {
                ...sent,
                items: (sent['items'] as object[]).map((item) => ({ ...item, claims: { role: 'other' } })),
            };
        case 'presentations.create':
            return { ...sent, nonce: 'another nonce' };
        case 'webhooks.create':
            return { ...sent, description: 'another one' };
        case 'webhooks.rotate_secret':
        case 'keys.rotate':
            return { overlap_seconds: 7_200 };
        case 'wallets.add_credential':
            return { ...sent, metadata: { other: true } };
        case 'admin.create_users':
            return { users: (sent['users'] as object[]).map((user) => ({ ...user, name: 'another name' })) };
        default:
            return { ...sent, name: 'another name' };
    }
}
