import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, it } from 'node:test';
import { Metadata } from '@grpc/grpc-js';
import type { AppError } from '../../../../platform/errors.ts';
import { callers } from '../../../../platform/rpc/callers.ts';
import type { Dispatch } from '../../../../platform/rpc/dispatch.ts';
import { testContext } from '../../../support/context.ts';

const NOTHING = new Uint8Array();
const PATH = '/test.v1.Test/Many';

/** Another service that may have 10 calls in progress. Its batches run until the returned `release` is called. */
function otherService() {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const dispatch: Dispatch = async (_path, request, _context, admitItems) => {
        admitItems?.(request.length);
        await released;
        return NOTHING;
    };
    const settings = { token_sha256: hash('sha256', 'token'), methods: [PATH], trusted: false, max_in_flight: 10 };
    const { identify } = callers({ serviceTokens: [], serviceCallers: { other: settings }, dispatch });
    const metadata = new Metadata();
    metadata.set('authorization', 'Bearer token');
    const caller = identify(metadata);
    /** Sends a batch of this many items. */
    const send = (items: number) => caller.dispatch(PATH, new Uint8Array(items), testContext());
    return { send, release };
}

const kind = (expected: string) => (error: AppError) => error.kind === expected;

describe('the items of a batch of another service', () => {
    it('count as calls in progress, until the batch has ended', async () => {
        const { send, release } = otherService();
        const running = [send(6), send(3)];
        await assert.rejects(send(2), kind('rate_limited'));
        running.push(send(1));
        await assert.rejects(send(1), kind('rate_limited'));
        release();
        await Promise.all(running);
        await send(10);
    });

    it('take no place if they are refused', async () => {
        const { send, release } = otherService();
        const running = send(5);
        for (let attempt = 0; attempt < 20; attempt++) await assert.rejects(send(6), kind('rate_limited'));
        release();
        await Promise.all([running, send(5)]);
        await send(10);
    });

    it('are refused as invalid if they exceed what the service may ever have in progress', async () => {
        await assert.rejects(otherService().send(11), (error: AppError) => {
            assert.deepEqual([error.kind, error.detail], ['invalid', 'This service may send 10 items at once.']);
            return true;
        });
    });
});
