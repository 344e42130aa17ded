import { connect as connectSocket, createServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type handleBidiStreamingCall, Server, ServerCredentials } from '@grpc/grpc-js';
import type { CallContext } from '../../../platform/context.ts';
import { type ConnectOptions, connect } from '../../../platform/rpc/connect.ts';
import { bind, client, type ServiceOf } from '../../../platform/rpc/definition.ts';
import { dispatcher } from '../../../platform/rpc/dispatch.ts';
import { FRAME_METHOD } from '../../../platform/rpc/frames/frames.ts';
import type { ReplicaAddress } from '../../../platform/rpc/resolve.ts';
import { type RpcServer, type ServeOptions, serve } from '../../../platform/rpc/serve.ts';
import { createMetrics } from '../../../platform/telemetry/metrics.ts';
import { DidServiceDefinition } from '../../../proto/gen/did/v1/did.ts';
import type { Frame } from '../../../proto/gen/rpc/v1/frames.ts';
import { quiet, testContext } from '../../support/harness.ts';
import { stubService } from '../../support/stub-service.ts';

export const TOKEN = 'a service token for this test';

type DidClient = ServiceOf<typeof DidServiceDefinition>;

/** A replica of the DID service that records its calls. Its method `resolve` is safe to repeat, `create` is not. */
export interface Replica {
    address: ReplicaAddress;
    /** The DIDs of `resolve` and the public keys (as text) of `create` that it has run, in order. */
    ran: string[];
    /** The contexts of the calls of `resolve`, by DID. */
    contexts: Map<string, CallContext>;
    /** Lets the calls continue whose DID or key begins with `held`. */
    release(): void;
    stop(): Promise<void>;
}

/** Serves methods on a free port of this machine, to callers with TOKEN, unless the options say otherwise. */
export function serveHere(
    options: Pick<ServeOptions, 'methods' | 'dispatch'> & Partial<ServeOptions>,
): Promise<RpcServer> {
    return serve({
        host: '127.0.0.1',
        port: 0,
        serviceTokens: [TOKEN],
        serviceCallers: {},
        tls: undefined,
        metrics: createMetrics(),
        ready: async () => true,
        ...options,
    });
}

export async function startReplica(t: TestContext, options: Partial<ServeOptions> = {}): Promise<Replica> {
    const ran: string[] = [];
    const contexts = new Map<string, CallContext>();
    const held = Promise.withResolvers<void>();
    const implementation = stubService(DidServiceDefinition, {
        async create({ public_key = new Uint8Array() }) {
            const key = Buffer.from(public_key).toString('utf8');
            ran.push(key);
            if (key.startsWith('held')) await held.promise;
            return { did: key, public_key };
        },
        async resolve({ did }, context) {
            ran.push(did);
            contexts.set(did, context);
            if (did.startsWith('held')) await held.promise;
            return { did, public_key: new Uint8Array() };
        },
    });
    const methods = bind(DidServiceDefinition, implementation);
    const { remote } = dispatcher(methods, { log: quiet, metrics: createMetrics() });
    const server = await serveHere({ methods, dispatch: remote, ...options });
    let stopped: Promise<void> | undefined;
    const stop = (): Promise<void> => {
        stopped ??= server.stop();
        return stopped;
    };
    t.after(() => {
        held.resolve();
        return stop();
    });
    const address = { target: server.address, host: '127.0.0.1' };
    return { address, ran, contexts, release: held.resolve, stop };
}

/** Starts a server whose streams of frames the test handles. */
export async function startFrameServer(t: TestContext, exchange: handleBidiStreamingCall<Frame, Frame>) {
    const server = new Server();
    server.addService({ exchange: FRAME_METHOD }, { exchange });
    t.after(() => server.forceShutdown());
    const port = await new Promise<number>((bound, failed) => {
        server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) =>
            error ? failed(error) : bound(port),
        );
    });
    const address: ReplicaAddress = { target: `127.0.0.1:${port}`, host: '127.0.0.1' };
    return { address, kill: () => server.forceShutdown() };
}

/**
 * A client of the replicas in `addresses`. It looks at that list every 50 ms, so the test may change it. Its calls wait
 * for a replica for longer than any machine takes to start one, unless `waitMs` says otherwise.
 */
export function connectTo(
    t: TestContext,
    addresses: ReplicaAddress[],
    options: Partial<ConnectOptions> = {},
): DidClient {
    const connection = connect({
        service: 'test',
        address: 'did:1',
        serviceToken: TOKEN,
        tls: undefined,
        resolve: async () => [...addresses],
        refreshMs: 50,
        waitMs: 120_000,
        ...options,
    });
    t.after(() => connection.close());
    return client(DidServiceDefinition, connection.transport);
}

/** A client of a service of which no replica is ever reached. Its calls wait for as long as those of production. */
export function connectToNone(t: TestContext, addresses: ReplicaAddress[], service = 'test'): DidClient {
    return connectTo(t, addresses, { service, waitMs: undefined });
}

/** Like connectTo, but counts the lookups. Without `refreshMs` their interval is that of production. */
export function connectCounted(t: TestContext, addresses: ReplicaAddress[], refreshMs?: number) {
    let looks = 0;
    const lookUp = async (): Promise<ReplicaAddress[]> => {
        looks++;
        return [...addresses];
    };
    return { did: connectTo(t, [], { resolve: lookUp, refreshMs }), looks: () => looks };
}

export const resolve = (didService: DidClient, did: string, context = testContext()) =>
    didService.resolve({ did, derive: false }, context);

export const create = (didService: DidClient, key: string, context = testContext()) =>
    didService.create({ public_key: Buffer.from(key) }, context);

/** Waits until `condition` holds; fails after two minutes, which is longer than a busy machine needs. */
export async function until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
    const giveUp = performance.now() + 120_000;
    while (!(await condition())) {
        if (performance.now() > giveUp) throw new Error(`timed out waiting until ${what}`);
        await delay(5);
    }
}

/** Sends calls, 64 at a time, until `stop`, which resolves to the errors of the calls. */
export function load(t: TestContext, call: (name: string) => Promise<unknown>) {
    let sent = 0;
    let stopping = false;
    const failures: unknown[] = [];
    const callers = Array.from({ length: 64 }, async () => {
        while (!stopping) await call(`call ${sent++}`).catch((error: unknown) => failures.push(error));
    });
    const stop = async (): Promise<unknown[]> => {
        stopping = true;
        await Promise.all(callers);
        return failures;
    };
    t.after(stop);
    return { sent: () => sent, stop };
}

/** A proxy to `target`. `cut` acts as if the process was killed: connections break, and the proxy stops listening. */
export async function cuttable(
    t: TestContext,
    { target }: ReplicaAddress,
): Promise<{ address: ReplicaAddress; cut(): void }> {
    const sockets = new Set<Socket>();
    const port = Number(target.split(':')[1]);
    const proxy = createServer((near) => {
        const far = connectSocket(port, '127.0.0.1');
        for (const [from, to] of [
            [near, far],
            [far, near],
        ] as const) {
            sockets.add(from);
            from.on('error', () => {}).on('close', () => to.destroy());
            from.pipe(to);
        }
    });
    const listening = await new Promise<number>((resolve) => {
        // The address of a server that listens on a TCP port is an object.
        proxy.listen(0, '127.0.0.1', () => resolve((proxy.address() as { port: number }).port));
    });
    const cut = (): void => {
        proxy.close();
        for (const socket of sockets) socket.destroy();
    };
    t.after(cut);
    return { address: { target: `127.0.0.1:${listening}`, host: '127.0.0.1' }, cut };
}
