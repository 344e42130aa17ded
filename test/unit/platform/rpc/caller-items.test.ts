import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, it } from 'node:test';
import { Metadata } from '@grpc/grpc-js';
import type { AppError } from '../../../../platform/errors.ts';
import { callers } from '../../../../platform/rpc/callers.ts';
import type { Dispatch } from '../../../../platform/rpc/dispatch.ts';
import { CredentialsServiceDefinition } from '../../../../proto/gen/credentials/v1/credentials.ts';
import { CREDENTIALS_ITEMS } from '../../../../services/credentials/service.ts';
import { testContext } from '../../../support/context.ts';

const NOTHING = new Uint8Array();
const PATH = '/test.v1.Test/Many';

/** Two services that may have 10 calls in progress each. Their batches run until the returned `release` is called. */
function otherServices() {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const dispatch: Dispatch = async (_path, request, _context, admitItems) => {
        admitItems?.(request.length);
        await released;
        return NOTHING;
    };
    const settingsOf = (token: string) => ({
        token_sha256: hash('sha256', token),
        methods: [PATH],
        trusted: false,
        max_in_flight: 10,
    });
    const serviceCallers = { one: settingsOf('one'), other: settingsOf('other') };
    const identify = callers({ serviceTokens: [], serviceCallers, dispatch });
    /** Returns the function with which a service sends a batch of this many items. */
    const sender = (token: string) => {
        const metadata = new Metadata();
        metadata.set('authorization', `Bearer ${token}`);
        const caller = identify(metadata) ?? assert.fail();
        return (items: number) => caller.dispatch(PATH, new Uint8Array(items), testContext());
    };
    return { send: sender('one'), sendOther: sender('other'), release };
}

const kind = (expected: string) => (error: AppError) => error.kind === expected;

describe('the items of a batch of another service', () => {
    it('count as calls in progress, until the batch has ended', async () => {
        const { send, release } = otherServices();
        const running = [send(6), send(3)];
        await assert.rejects(send(2), kind('rate_limited'));
        running.push(send(1));
        await assert.rejects(send(1), kind('rate_limited'));
        release();
        await Promise.all(running);
        await send(10);
    });

    it('count for that service alone', async () => {
        const { send, sendOther, release } = otherServices();
        const running = [send(10), sendOther(10)];
        for (const full of [send, sendOther]) await assert.rejects(full(1), kind('rate_limited'));
        release();
        await Promise.all(running);
    });

    it('take no place if they are refused', async () => {
        const { send, release } = otherServices();
        const running = send(5);
        for (let attempt = 0; attempt < 20; attempt++) await assert.rejects(send(6), kind('rate_limited'));
        release();
        await Promise.all([running, send(5)]);
        await send(10);
    });

    it('are refused as invalid if they exceed what the service may ever have in progress', async () => {
        await assert.rejects(otherServices().send(11), (error: AppError) => {
            assert.deepEqual([error.kind, error.detail], ['invalid', 'This service may send 10 items at once.']);
            return true;
        });
    });

    it('are counted for every method that takes a batch, whichever field has them', () => {
        const methods = Object.keys(CredentialsServiceDefinition.methods).filter((name) => name.endsWith('Many'));
        assert.deepEqual(Object.keys(CREDENTIALS_ITEMS).sort(), methods.sort());
        const empty = { items: [], credentials: [], credential_ids: [] };
        const count = (name: string, request: object): number =>
            CREDENTIALS_ITEMS[name as keyof typeof CREDENTIALS_ITEMS]?.({ ...empty, ...request } as never) ?? 0;
        for (const name of ['issueMany', 'verifyMany', 'revokeMany'])
            assert.equal(count(name, { items: [1, 2, 3] }), 3);
        assert.equal(count('verifyMany', { credentials: ['a', 'b'] }), 2);
        assert.equal(count('getStatusMany', { credential_ids: ['a', 'b', 'c', 'd'] }), 4);
    });
});
