import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, it, type TestContext } from 'node:test';
import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { loadFileDescriptorSetFromBuffer, loadSync, type ServiceDefinition } from '@grpc/proto-loader';
import { protoPath as HEALTH_PROTO } from 'grpc-health-check';
import type { AppError } from '../../../platform/errors.ts';
import { loadConfig, required } from '../../../platform/process/config.ts';
import type { ServeOptions } from '../../../platform/rpc/serve.ts';
import { tlsOf } from '../../../platform/rpc/tls.ts';
import { authority } from '../../support/certificates.ts';
import { testContext } from '../../support/harness.ts';
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
    const replica = await startReplica(t, { service_tokens: [OWN], service_callers: { other: OTHERS }, ...options });
    const didAs = (service_token: string, tls?: ServeOptions['tls']) =>
        connectTo(t, [replica.address], { service_token, tls });
    return { ...replica, address: replica.address.target, didAs };
}

const refusedAs = (kind: string) => (error: AppError) => {
    assert.equal(error.kind, kind, error.message);
    return true;
};

describe('a service with a token of its own', () => {
    it('cannot say of which tier an account is, which the own processes can', async (t) => {
        const { didAs, contexts } = await start(t);
        await resolve(didAs(OTHER), 'by the other', testContext({ tier: 'enterprise' }));
        await resolve(didAs(OWN), 'by its own', testContext({ tier: 'enterprise' }));
        assert.equal(contexts.get('by the other')?.tier, undefined);
        assert.equal(contexts.get('by its own')?.tier, 'enterprise');
    });

    it('is held to its list in every call inside of frames', async (t) => {
        const did = (await start(t)).didAs(OTHER);
        assert.equal((await resolve(did, 'x')).did, 'x');
        await assert.rejects(did.filterOwned({ dids: [] }, testContext()), refusedAs('forbidden'));
        await assert.rejects(resolve(did, 'x', testContext({ trusted: true })), refusedAs('forbidden'));
        await assert.rejects(resolve(did, 'x', testContext({ user_id: 'ada' })), refusedAs('invalid'));
    });

    it('may have so many calls under way, and takes nobody else’s place', async (t) => {
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

/** One call by whoever has the protos; for a stream, one request and its first answer. */
function ask(address: string, service: ServiceDefinition, name: string, request: object, token?: string) {
    const method = service[name] ?? assert.fail(name);
    const grpc = new Client(address, credentials.createInsecure());
    const metadata = new Metadata();
    if (token !== undefined) metadata.set('authorization', `Bearer ${token}`);
    const { path, requestSerialize, responseDeserialize } = method;
    // biome-ignore lint/suspicious/noExplicitAny: what answers hold is asserted
    return new Promise<any>((resolve, reject) => {
        if (!method.requestStream) {
            const settle = (error: ServiceError | null, response?: unknown) =>
                error ? reject(error) : resolve(response);
            grpc.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, metadata, settle);
            return;
        }
        const stream = grpc.makeBidiStreamRequest(path, requestSerialize, responseDeserialize, metadata);
        stream.on('data', resolve).on('error', reject);
        stream.write(request);
        stream.end();
    }).finally(() => grpc.close());
}

/** The service `name` of a file of protos. */
function serviceIn(file: string, name: string): ServiceDefinition {
    return loadSync(file, { keepCase: true, enums: String, defaults: true, oneofs: true })[name] as ServiceDefinition; // it is one
}

it('health tells, without a token, whether the process is ready at that moment', async (t) => {
    let ready = async () => true;
    const { address } = await start(t, { ready: () => ready() });
    const health = serviceIn(HEALTH_PROTO, 'grpc.health.v1.Health');
    const check = (service: string) => ask(address, health, 'Check', { service });
    for (const service of ['', 'did.v1.DidService']) assert.equal((await check(service)).status, 'SERVING');
    ready = async () => false;
    assert.equal((await check('')).status, 'NOT_SERVING');
    ready = () => Promise.reject(new Error('the database is away'));
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

        it(`${version} gives holders of a token all that a client needs`, async (t) => {
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

        it(`${version} gives strangers nothing`, async (t) => {
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
    /** What SERVICE_TOKEN is while one token takes the place of another, step by step. */
    const STEPS = ['the old one', 'the old one, the new one', 'the new one,the old one', 'the new one'];
    const tokensOf = (setting = '') => required(loadConfig({ SERVICE_TOKEN: setting }), 'SERVICE_TOKEN');
    const asked = { did: 'x', derive: false };

    it('is replaced in steps at each of which those before it and after it are understood', async (t) => {
        for (const [step, setting] of STEPS.entries()) {
            const { didAs } = await start(t, { service_tokens: tokensOf(setting) });
            for (const other of STEPS.slice(Math.max(0, step - 1), step + 2)) {
                assert.equal((await resolve(didAs(tokensOf(other)[0]), 'x')).did, 'x');
            }
        }
    });

    it('is good in both places of the list, for plain calls too, and in none of them afterwards', async (t) => {
        const did = serviceIn('proto/did/v1/did.proto', 'did.v1.DidService');
        const [, both, , last] = STEPS;
        const rotating = (await start(t, { service_tokens: tokensOf(both) })).address;
        for (const token of tokensOf(both)) {
            assert.equal((await ask(rotating, did, 'Resolve', asked, token)).did, 'x');
        }
        const rotated = (await start(t, { service_tokens: tokensOf(last) })).address;
        for (const wrong of ['the old one', 'the old one, the new one', '', ',']) {
            await assert.rejects(
                ask(rotated, did, 'Resolve', asked, wrong),
                (error: ServiceError) => error.code === status.UNAUTHENTICATED,
            );
        }
        const late = testContext({ deadline: performance.now() + 1_000 });
        const refused = (await start(t, { service_tokens: tokensOf(last) })).didAs('the old one');
        await assert.rejects(resolve(refused, 'x', late));
    });
});

describe('over TLS', () => {
    const [ours, theirs] = [authority('ours'), authority('theirs')];
    const tls = { ...ours.certify('did'), ca: ours.cert };

    it('processes with certificates of one authority understand each other', async (t) => {
        const { didAs } = await start(t, { tls });
        const gateway = { ...ours.certify('gateway'), ca: ours.cert };
        assert.equal((await resolve(didAs(OWN, gateway), 'x')).did, 'x');
    });

    it('one authority takes the place of another in steps at each of which those before it and after it are understood', async (t) => {
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

    it('nobody is served, or served by, who has no certificate of it', async (t) => {
        const { didAs } = await start(t, { tls });
        const strange = { ...theirs.certify('stranger'), ca: ours.cert };
        const deceived = { ...ours.certify('gateway'), ca: theirs.cert };
        for (const unknownCaller of [undefined, strange, deceived]) {
            const late = testContext({ deadline: performance.now() + 1_000 });
            await assert.rejects(resolve(didAs(OWN, unknownCaller), 'x', late));
        }
    });

    it('callers need no certificate where servers alone must have one, and are still served by no other', async (t) => {
        const { cert, key } = tls;
        const alone = tlsOf(
            loadConfig({ GRPC_TLS_CERT: cert, GRPC_TLS_KEY: key, GRPC_TLS_CA: ours.cert, GRPC_TLS_MUTUAL: '0' }),
        );
        const { didAs } = await start(t, { tls: alone });
        assert.equal((await resolve(didAs(OWN, { ...theirs.certify('stranger'), ca: ours.cert }), 'x')).did, 'x');
        const late = testContext({ deadline: performance.now() + 1_000 });
        await assert.rejects(resolve(didAs(OWN, { ...ours.certify('gateway'), ca: theirs.cert }), 'x', late));
    });
});
