import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { endpointTable } from '../../gateway/endpoints/index.ts';
import { expectError, send } from './client.ts';
import { examples } from './examples.ts';

const endpoints = endpointTable({ version: '', cache: async () => {} });

describe('every endpoint', () => {
    for (const { id, access, answer, status, message } of endpoints) {
        it(`${id} answers its example with its status and nothing but its fields`, async () => {
            const call = await examples[id]();
            const response = await send(call);
            assert.equal(response.status, status, response.text);
            assert.ok(answer instanceof z.ZodObject);
            answer.strict().parse(access === 'none' ? response.body : response.data);
            if (access !== 'none') assert.equal(response.body.message, message);
        });

        if (access !== 'none' && access !== 'login') {
            it(`${id} refuses a call without its credential, whatever the body`, async () => {
                const call = await examples[id]();
                const bare = { ...call, token: undefined, internal: false, body: undefined };
                await expectError(401, bare);
                if (call.body !== undefined) await expectError(401, { ...bare, body: '{not json' });
            });
        }
    }
});
