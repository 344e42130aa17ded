import assert from 'node:assert/strict';
import { it } from 'node:test';
import { client, encoding } from '../../../../platform/rpc/definition.ts';
import { DidServiceDefinition } from '../../../../proto/gen/did/v1/did.ts';
import { testContext } from '../../../support/context.ts';

it('a number that a message cannot hold fails the call with an AppError', async () => {
    const did = client(
        DidServiceDefinition,
        encoding(async () => assert.fail('nothing is sent')),
    );
    await assert.rejects(did.listOwned({ limit: 2 ** 32 }, testContext()), { name: 'AppError', kind: 'internal' });
});
