import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { resolveAddresses } from '../../../platform/rpc/resolve.ts';
import { authority } from '../../support/certificates.ts';
import { testContext } from '../../support/harness.ts';
import { connectTo, resolve, startReplica } from './rpc.fixture.ts';

describe('the addresses of a service', () => {
    it('are the addresses of all names in its setting', async () => {
        const found = await resolveAddresses('127.0.0.2:7000,localhost:7001');
        assert.deepEqual(found[0], { target: '127.0.0.2:7000', host: '127.0.0.2' });
        const byName = found.slice(1);
        assert.ok(byName.some(({ target }) => target === '127.0.0.1:7001' || target === '[::1]:7001'));
        assert.ok(byName.every(({ host }) => host === 'localhost'));
    });

    it('must have certificates for the name that they were found under', async (t) => {
        const ours = authority('ours');
        const tls = { ...ours.certify('did'), ca: ours.cert };
        const { target } = (await startReplica(t, { tls })).address;
        assert.equal((await resolve(connectTo(t, [{ target, host: 'localhost' }], { tls }), 'x')).did, 'x');
        const late = testContext({ deadline: performance.now() + 1_000 });
        await assert.rejects(resolve(connectTo(t, [{ target, host: 'did.example' }], { tls }), 'x', late));
    });
});
