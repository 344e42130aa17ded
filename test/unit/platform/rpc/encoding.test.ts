import assert from 'node:assert/strict';
import { it } from 'node:test';
import { client, encoding } from '../../../../platform/rpc/definition.ts';
import { KeysServiceDefinition } from '../../../../proto/gen/keys/v1/keys.ts';
import { testContext } from '../../../support/context.ts';

it('a number that a message cannot hold fails the call with an AppError', async () => {
    const keys = client(
        KeysServiceDefinition,
        encoding(async () => assert.fail('nothing is sent')),
    );
    await assert.rejects(keys.list({ limit: 2 ** 32, with_total: false }, testContext()), {
        name: 'AppError',
        kind: 'internal',
    });
});
