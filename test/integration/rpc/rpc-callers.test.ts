import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, it, type TestContext } from 'node:test';
import { type ServiceError, status } from '@grpc/grpc-js';
import { loadFileDescriptorSetFromBuffer, type ServiceDefinition } from '@grpc/proto-loader';
import { protoPath as HEALTH_PROTO } from 'grpc-health-check';
import type { AppError } from '../../../platform/errors.ts';
import { loadConfig, required } from '../../../platform/process/config.ts';
import type { ServeOptions } from '../../../platform/rpc/serve.ts';
import { tlsOf } from '../../../platform/rpc/tls.ts';
import { authority } from '../../support/certificates.ts';
import { testContext } from '../../support/harness.ts';
import { ask, serviceIn } from './plain-calls.fixture.ts';
import { connectTo, resolve, startReplica, until } from './rpc.fixture.ts';

const [OWN, OTHER] = ['the token of its own processes', 'the token of another service'];
const RESOLVE = '/did.v1.DidService/Resolve';
const OTHERS = {
    token_sha256: hash('sha256', OTHER),
    methods: [RESOLVE, '/rpc.v1.FrameService/Exchange'],
    trusted: false,
    max_in_flight: 2,
};

/** Serves a DID service to its own processes and to another service. */
async function start(t: TestContext, options: Partial<ServeOptions> = {}) {
    const replica = await startReplica(t, { serviceTokens: [OWN], serviceCallers: { other: OTHERS }, ...options });
    const didAs = (serviceToken: string, tls?: ServeOptions['tls']) =>
        connectTo(t, [replica.address], { serviceToken, tls });
    return { ...replica, address: replica.address.target, didAs };
}

const refusedAs = (kind: string) => (error: AppError) => {
    assert.equal(error.kind, kind, error.message);
    return true;
};

describe('another service with its own token', () => {
    it('cannot set the tier of an account, which only own processes can', async (t) => {
        const { didAs, contexts } = await start(t);
        await resolve(didAs(OTHER), 'by the other', testContext({ tier: 'enterprise' }));
        await resolve(didAs(OWN), 'by its own', testContext({ tier: 'enterprise' }));
        assert.equal(contexts.get('by the other')?.tier, undefined);
        assert.equal(contexts.get('by its own')?.tier, 'enterprise');
    });

    it('may call only the methods of its list, in every call within frames', async (t) => {
        const did = (await start(t)).didAs(OTHER);
        assert.equal((await resolve(did, 'x')).did, 'x');
        await assert.rejects(did.filterOwned({ dids: [] }, testContext()), refusedAs('forbidden'));
        await assert.rejects(resolve(did, 'x', testContext({ trusted: true })), refusedAs('forbidden'));
        await assert.rejects(resolve(did, 'x', testContext({ user_id: 'ada' })), refusedAs('invalid'));
    });

    it('may have a limited number of calls in progress, and takes no capacity from other callers', async (t) => {
        const { didAs, release, ran } = await start(t);
        const [own, other] = [didAs(OWN), didAs(OTHER)];
        const slow = [1, 2].map(() => resolve(other, 'held'));
        await until('both are under way', () => ran.length === 2);
        await assert.rejects(resolve(other, 'x'), (error: AppError) => {
            assert.deepEqual([error.kind, error.retry_after], ['rate_limited', 1]);
            return true;
        });
        await resolve(own, 'x');
        release();
        await Promise.all(slow);
        await resolve(other, 'x');
    });
});

it('health reports without a token whether the process is ready now', async (t) => {
    let ready = async () => true;
    const { address } = await start(t, { ready: () => ready() });
    const health = serviceIn(HEALTH_PROTO, 'grpc.health.v1.Health');
    const check = (service: string) => ask(address, health, 'Check', { service });
    for (const service of ['', 'did.v1.DidService']) assert.equal((await check(service)).status, 'SERVING');
    ready = async () => false;
    assert.equal((await check('')).status, 'NOT_SERVING');
    ready = () => Promise.reject(new Error('the database is unreachable'));
    assert.equal((await check('did.v1.DidService')).status, 'NOT_SERVING');
    ready = async () => true;
    assert.equal((await check('')).status, 'SERVING');
    await assert.rejects(check('nothing'), (error: ServiceError) => error.code === status.NOT_FOUND);
});

describe('reflection', () => {
    const asked = { file_containing_symbol: 'did.v1.DidService' };
    for (const version of ['v1', 'v1alpha']) {
        const reflection = serviceIn(
            `node_modules/@grpc/reflection/build/proto/grpc/reflection/${version}/reflection.proto`,
            `grpc.reflection.${version}.ServerReflection`,
        );
        const reflect = (address: string, request: object, token?: string) =>
            ask(address, reflection, 'ServerReflectionInfo', request, token);

        it(`${version} gives callers with a token everything that a client needs`, async (t) => {
            const { address } = await start(t);
            const { list_services_response } = await reflect(address, { list_services: '' }, OTHER);
            const names = list_services_response.service.map(({ name }: { name: string }) => name);
            assert.deepEqual(names.sort(), ['did.v1.DidService', 'grpc.health.v1.Health']);

            const { file_descriptor_response } = await reflect(address, asked, OTHER);
            const file = file_descriptor_response.file_descriptor_proto.map((bytes: Buffer) =>
                Buffer.concat([Buffer.of(0x0a, 0x80 | (bytes.length & 0x7f), bytes.length >> 7), bytes]),
            );
            const found = loadFileDescriptorSetFromBuffer(Buffer.concat(file), { keepCase: true });
            const did = found['did.v1.DidService'] as ServiceDefinition; // what was asked for
            const answer = await ask(address, did, 'Resolve', { did: 'reflected' }, OTHER);
            assert.equal(answer.did, 'reflected');
        });

        it(`${version} gives nothing to callers without a valid token`, async (t) => {
            const { address } = await start(t);
            for (const token of [undefined, 'wrong']) {
                await assert.rejects(
                    reflect(address, asked, token),
                    (error: ServiceError) => error.code === status.UNAUTHENTICATED,
                );
            }
        });
    }
});

describe('the service token', () => {
    /** The values of SERVICE_TOKEN in each step of a rotation. */
    const STEPS = ['the old one', 'the old one, the new one', 'the new one,the old one', 'the new one'];
    const tokensOf = (setting = '') => required(loadConfig({ SERVICE_TOKEN: setting }), 'SERVICE_TOKEN');
    const asked = { did: 'x', derive: false };

    it('is rotated in steps, and processes that are one step apart can call each other', async (t) => {
        for (const [step, setting] of STEPS.entries()) {
            const { didAs } = await start(t, { serviceTokens: tokensOf(setting) });
            for (const other of STEPS.slice(Math.max(0, step - 1), step + 2)) {
                assert.equal((await resolve(didAs(tokensOf(other)[0]), 'x')).did, 'x');
            }
        }
    });

    it('is accepted at both places of the list, for plain calls too; the old one is refused afterwards', async (t) => {
        const did = serviceIn('proto/did/v1/did.proto', 'did.v1.DidService');
        const [, both, , last] = STEPS;
        const rotating = (await start(t, { serviceTokens: tokensOf(both) })).address;
        for (const token of tokensOf(both)) {
            assert.equal((await ask(rotating, did, 'Resolve', asked, token)).did, 'x');
        }
        const rotated = (await start(t, { serviceTokens: tokensOf(last) })).address;
        for (const wrong of ['the old one', 'the old one, the new one', '', ',']) {
            await assert.rejects(
                ask(rotated, did, 'Resolve', asked, wrong),
                (error: ServiceError) => error.code === status.UNAUTHENTICATED,
            );
        }
        const late = testContext({ deadline: performance.now() + 1_000 });
        const refused = (await start(t, { serviceTokens: tokensOf(last) })).didAs('the old one');
        await assert.rejects(resolve(refused, 'x', late));
    });
});

describe('over TLS', () => {
    const [ours, theirs] = [authority('ours'), authority('theirs')];
    const tls = { ...ours.certify('did'), ca: ours.cert };

    it('processes with certificates of one authority can call each other', async (t) => {
        const { didAs } = await start(t, { tls });
        const gateway = { ...ours.certify('gateway'), ca: ours.cert };
        assert.equal((await resolve(didAs(OWN, gateway), 'x')).did, 'x');
    });

    it('the authority is replaced in steps, and processes that are one step apart can call each other', async (t) => {
        const both = `${ours.cert}${theirs.cert}`;
        const [old, next] = [ours.certify('did'), theirs.certify('did')];
        const steps = [
            { ...old, ca: ours.cert },
            { ...old, ca: both },
            { ...next, ca: both },
            { ...next, ca: theirs.cert },
        ];
        for (const [step, mine] of steps.entries()) {
            const { didAs } = await start(t, { tls: mine });
            for (const other of steps.slice(Math.max(0, step - 1), step + 2)) {
                assert.equal((await resolve(didAs(OWN, other), 'x')).did, 'x');
            }
        }
    });

    it('a process without a certificate of the authority is not served, and is not accepted as a server', async (t) => {
        const { didAs } = await start(t, { tls });
        const strange = { ...theirs.certify('unknown'), ca: ours.cert };
        const deceived = { ...ours.certify('gateway'), ca: theirs.cert };
        for (const unknownCaller of [undefined, strange, deceived]) {
            const late = testContext({ deadline: performance.now() + 1_000 });
            await assert.rejects(resolve(didAs(OWN, unknownCaller), 'x', late));
        }
    });

    it('callers need no certificate if only servers must have one; they accept servers of the authority only', async (t) => {
        const { cert, key } = tls;
        const alone = tlsOf(
            loadConfig({ GRPC_TLS_CERT: cert, GRPC_TLS_KEY: key, GRPC_TLS_CA: ours.cert, GRPC_TLS_MUTUAL: '0' }),
        );
        const { didAs } = await start(t, { tls: alone });
        assert.equal((await resolve(didAs(OWN, { ...theirs.certify('unknown'), ca: ours.cert }), 'x')).did, 'x');
        const late = testContext({ deadline: performance.now() + 1_000 });
        await assert.rejects(resolve(didAs(OWN, { ...ours.certify('gateway'), ca: theirs.cert }), 'x', late));
    });
});
