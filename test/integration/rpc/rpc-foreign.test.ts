import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { newId } from '../../../platform/ids.ts';
import { encode } from '../../../platform/rpc/frames/encode.ts';
import { ResolveRequest, ResolveResponse } from '../../../proto/gen/did/v1/did.ts';
import { startReplica, TOKEN } from './rpc.fixture.ts';

const RESOLVE = '/did.v1.DidService/Resolve';
const request = Buffer.from(encode(ResolveRequest, { did: 'd', derive: false }));

/** Starts a DID service and a plain gRPC client, which does not know frames. */
async function start(t: TestContext) {
    const { address, contexts } = await startReplica(t);
    const grpc = new Client(address.target, credentials.createInsecure());
    t.after(() => grpc.close());
    function call(path: string, token: string | undefined, message: Buffer, more = {}): Promise<Buffer> {
        const metadata = new Metadata();
        if (token !== undefined) metadata.set('authorization', `Bearer ${token}`);
        for (const [name, value] of Object.entries<string>(more)) metadata.set(name, value);
        const same = (bytes: Buffer): Buffer => bytes;
        return new Promise((resolve, reject) => {
            grpc.makeUnaryRequest(
                path,
                same,
                same,
                message,
                metadata,
                // Without an error there is a response.
                (error, response) => (error ? reject(error) : resolve(response as Buffer)),
            );
        });
    }
    return { call, contexts };
}

const refusedWith = (code: status) => (error: ServiceError) => {
    assert.equal(error.code, code, error.message);
    return true;
};

describe('a foreign gRPC client', () => {
    it('is served if it has a service token', async (t) => {
        const { call } = await start(t);
        assert.equal(ResolveResponse.decode(await call(RESOLVE, TOKEN, request)).did, 'd');
    });

    for (const token of [undefined, '', 'wrong', `${TOKEN} `, TOKEN.toUpperCase()]) {
        it(`is refused with the token ${JSON.stringify(token)}`, async (t) => {
            const { call } = await start(t);
            await assert.rejects(call(RESOLVE, token, request), refusedWith(status.UNAUTHENTICATED));
        });
    }

    it('gets UNIMPLEMENTED for a method that does not exist', async (t) => {
        const { call } = await start(t);
        await assert.rejects(call('/did.v1.DidService/Nothing', TOKEN, request), refusedWith(status.UNIMPLEMENTED));
    });

    it('may not send a message above the size limit', async (t) => {
        const { call } = await start(t);
        await assert.rejects(call(RESOLVE, TOKEN, Buffer.alloc(5 << 20)), refusedWith(status.RESOURCE_EXHAUSTED));
    });

    for (const [what, bytes] of [
        ['that are not a message', [0x0a, 0xff]],
        ['whose text is not UTF-8', [0x0a, 0x01, 0xff]],
    ] as const) {
        it(`gets INVALID_ARGUMENT for bytes ${what}`, async (t) => {
            const { call } = await start(t);
            await assert.rejects(call(RESOLVE, TOKEN, Buffer.from(bytes)), refusedWith(status.INVALID_ARGUMENT));
        });
    }

    it('may name the account that it acts for, but only by its id', async (t) => {
        const { call, contexts } = await start(t);
        const userId = newId();
        await call(RESOLVE, TOKEN, request, { 'x-on-behalf-of': userId });
        assert.equal(contexts.get('d')?.user_id, userId);
        await assert.rejects(
            call(RESOLVE, TOKEN, request, { 'x-on-behalf-of': 'ada' }),
            refusedWith(status.INVALID_ARGUMENT),
        );
    });

    it('may name the address of its client, but nothing longer than an address', async (t) => {
        const { call, contexts } = await start(t);
        await call(RESOLVE, TOKEN, request, { 'x-client-address': '2001:db8:1:2::/64' });
        assert.equal(contexts.get('d')?.address, '2001:db8:1:2::/64');
        for (const address of ['a'.repeat(65), '192.0.2.1 or more', '{tag}'])
            await assert.rejects(
                call(RESOLVE, TOKEN, request, { 'x-client-address': address }),
                refusedWith(status.INVALID_ARGUMENT),
            );
    });

    it('can call the health service', async (t) => {
        const { call } = await start(t);
        const answer = await call('/grpc.health.v1.Health/Check', undefined, Buffer.alloc(0));
        assert.deepEqual([...answer], [8, 1]); // status: SERVING
    });
});
