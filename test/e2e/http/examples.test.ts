import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { createClient } from '../../../client/src/client.ts';
import { type EndpointId, endpointTable } from '../../../gateway/endpoints/index.ts';
import { operations } from '../../support/openapi.ts';
import { checkedFetch, expectError, GATEWAYS, INTERNAL_SECRET, send } from '../support/client.ts';
import { exampleCall, exampleOf } from '../support/examples.ts';

const endpoints = endpointTable({ version: '', cache: async () => {}, clock: Date.now });

describe('every endpoint', () => {
    for (const { id, method, access, answer, status, message } of endpoints) {
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
            assert.ok(answer instanceof z.ZodObject);
            answer.strict().parse(data);
            const [response] = answers;
            assert.deepEqual([answers.length, response?.status], [1, status]);
            const body = (await response?.json()) as { message: string }; // checkedFetch asserts it
            if (access !== 'public') assert.equal(body.message, message);
        });

        if (access !== 'public' && access !== 'login') {
            it(`${id} refuses a call without its credential, whatever the body`, async () => {
                const call = await exampleCall(id);
                const bare = { ...call, token: undefined, internal: false, body: undefined };
                await expectError(401, bare);
                if (call.body !== undefined) await expectError(401, { ...bare, body: '{not json' });
            });
        }
    }
});

describe('an idempotent operation', () => {
    const repeatable = operations.filter(({ method, operation }) => method !== 'get' && operation['x-idempotent']);
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
