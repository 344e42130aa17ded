import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { AppError } from '../../../../platform/errors.ts';
import type { ReplicaAddress } from '../../../../platform/rpc/resolve.ts';
import { serviceRegistry } from '../../../../platform/rpc/service-registry.ts';
import { createMetrics } from '../../../../platform/telemetry/metrics.ts';
import { DidServiceDefinition } from '../../../../proto/gen/did/v1/did.ts';
import {
    connectCounted,
    connectTo,
    connectToNone,
    create,
    cuttable,
    load,
    type Replica,
    resolve,
    startReplica,
    TOKEN,
    until,
} from '../../../integration/rpc/rpc.fixture.ts';
import { quiet } from '../../../support/harness.ts';

const replicas = (t: Parameters<typeof startReplica>[0], count: number): Promise<Replica[]> =>
    Promise.all(Array.from({ length: count }, () => startReplica(t)));

/** Returns how many calls each replica runs while `calls` calls are sent. */
async function shares(among: Replica[], sent: () => number, calls: number): Promise<number[]> {
    const began = among.map(({ ran }) => ran.length);
    const first = sent();
    await until(`${calls} calls are sent`, () => sent() >= first + calls);
    return among.map(({ ran }, index) => ran.length - (began[index] ?? 0));
}

/** Waits until `look` returns the expected value. After two minutes it fails with the actual value. */
async function untilEqual(look: () => Promise<unknown>, expected: unknown): Promise<void> {
    const giveUp = performance.now() + 120_000;
    while (performance.now() < giveUp && !isDeepStrictEqual(await look(), expected)) await delay(5);
    assert.deepEqual(await look(), expected);
}

describe('a service of several replicas', () => {
    it('gives a replica that is added under load its share of the calls after the next lookups', async (t) => {
        const all = await replicas(t, 3);
        const [first, second, added] = all as [Replica, Replica, Replica];
        const addresses = [first.address, second.address];
        const { did, looks } = connectCounted(t, addresses);
        const running = load(t, (name) => resolve(did, name));
        await until('both are called', () => first.ran.length > 100 && second.ran.length > 100);
        const looked = looks();
        await until('the lookups reach their longest interval', () => looks() > looked);
        addresses.push(added.address);
        const foundAfter = looks() + 2; // the next lookup may have begun before
        await until('the new replica is called', () => added.ran.length > 0);
        assert.ok(looks() <= foundAfter);
        const counts = await shares(all, running.sent, 3_000);
        assert.deepEqual(await running.stop(), []);
        const fair = counts.reduce((sum, count) => sum + count) / 3;
        for (const count of counts) assert.ok(count >= 0.8 * fair, `${counts}`);
    });

    it('appears in the metrics of its callers, as the number of connected and of unconnected replicas', async (t) => {
        const [staying, stopping] = (await replicas(t, 2)) as [Replica, Replica];
        const metrics = createMetrics();
        const calling = serviceRegistry({
            localRoles: ['gateway'],
            addressOf: () => `${staying.address.target},${stopping.address.target}`,
            serviceToken: TOKEN,
            tls: undefined,
            frames: true,
            log: quiet,
            metrics,
        });
        t.after(() => calling.close());
        const shown = async () => {
            const { text } = await metrics.expose();
            return Array.from(
                text.matchAll(/^rpc_client_peers\{(.+)\} (\d)$/gm),
                ([, labels, value]) => `${labels} ${value}`,
            );
        };
        const did = calling.serviceClient('did', DidServiceDefinition);
        const connected = (open: number) => [
            `service="did",state="open" ${open}`,
            `service="did",state="not_open" ${2 - open}`,
        ];
        await untilEqual(shown, connected(2));
        await stopping.stop();
        await untilEqual(shown, connected(1));
        await resolve(did, 'x');
        await staying.stop();
        await untilEqual(shown, connected(0));
    });

    it('loses no call when a replica is no longer found, and sends it no further calls', async (t) => {
        const [staying, leaving] = (await replicas(t, 2)) as [Replica, Replica];
        const addresses = [staying.address, leaving.address];
        const { did, looks } = connectCounted(t, addresses, 50);
        const running = load(t, (name) => create(did, name));
        await until('both are called', () => staying.ran.length > 100 && leaving.ran.length > 100);
        addresses.pop();
        const goneAfter = looks() + 2; // the next lookup may have begun before
        await until('the addresses are looked up', () => looks() >= goneAfter);
        await shares([staying], running.sent, 200); // the calls in progress have ended
        const [, leftOver] = await shares([staying, leaving], running.sent, 2_000);
        assert.equal(leftOver, 0);
        assert.deepEqual(await running.stop(), []);
    });

    it('loses no call, safe to repeat or not, when a replica stops under load, and runs none twice', async (t) => {
        const [staying, stopping] = (await replicas(t, 2)) as [Replica, Replica];
        const did = connectTo(t, [staying.address, stopping.address]);
        const running = load(t, (name) => create(did, name));
        await until('both are called', () => staying.ran.length > 100 && stopping.ran.length > 100);
        const waiting = Array.from({ length: 10 }, (_, index) => create(did, `held ${index}`));
        const ran = (): string[] => [...staying.ran, ...stopping.ran];
        await until('they are under way', () => ran().filter((name) => name.startsWith('held')).length === 10);
        const stopped = stopping.stop();
        await shares([staying], running.sent, 1_000);
        for (const replica of [staying, stopping]) replica.release();
        await Promise.all([...waiting, stopped]);
        assert.deepEqual(await running.stop(), []);
        assert.equal(new Set(ran()).size, ran().length);
        assert.equal(ran().length, running.sent() + waiting.length);
    });

    it('loses no call that is safe to repeat when a replica is killed under load', async (t) => {
        const [staying, killed] = (await replicas(t, 2)) as [Replica, Replica];
        const { address, cut } = await cuttable(t, killed.address);
        const did = connectTo(t, [staying.address, address]);
        const running = load(t, (name) => resolve(did, name));
        await until('both are called', () => staying.ran.length > 100 && killed.ran.length > 100);
        cut();
        await shares([staying], running.sent, 1_000);
        assert.deepEqual(await running.stop(), []);
    });

    it('fails calls that may have run and cannot be repeated when a replica is killed; none runs twice', async (t) => {
        const [staying, killed] = (await replicas(t, 2)) as [Replica, Replica];
        const { address, cut } = await cuttable(t, killed.address);
        const did = connectTo(t, [staying.address, address]);
        await until('both are called', async () => {
            await Promise.all([resolve(did, 'probe'), resolve(did, 'probe')]);
            return [staying, killed].every(({ contexts }) => contexts.has('probe'));
        });
        const names = Array.from({ length: 20 }, (_, index) => `held ${index}`);
        const calls = names.map((name) => create(did, name));
        const settled = Promise.allSettled(calls);
        const held = ({ ran }: Replica): string[] => ran.filter((name) => name !== 'probe');
        await until('all are under way', () => held(staying).length + held(killed).length === names.length);
        cut();
        staying.release();
        const lost = (await settled).flatMap((result, index) => (result.status === 'rejected' ? [names[index]] : []));
        assert.ok(lost.length > 0);
        assert.deepEqual(lost.toSorted(), held(killed).toSorted());
        const refusals = (await settled).flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
        for (const { kind, retry_after, reason } of refusals as AppError[])
            assert.deepEqual([kind, retry_after, reason], ['unavailable', 1, 'service test']);
    });

    it('serves calls although one of its addresses is dead, even those that are not safe to repeat', async (t) => {
        const replica = await startReplica(t);
        const { address: dead, cut } = await cuttable(t, replica.address);
        cut();
        for (let round = 0; round < 10; round++) {
            const did = connectTo(t, [dead, replica.address]);
            assert.equal((await create(did, `first ${round}`)).did, `first ${round}`);
        }
    });

    it('runs a call on the less busy of two replicas', async (t) => {
        const [busy, idle] = (await replicas(t, 2)) as [Replica, Replica];
        const addresses = [busy.address];
        const did = connectTo(t, addresses);
        const waiting = Array.from({ length: 10 }, (_, index) => resolve(did, `held ${index}`));
        await until('they are under way', () => busy.ran.length === 10);
        addresses.push(idle.address);
        await until('the other replica is called', async () => {
            await resolve(did, 'probe');
            return idle.ran.length > 0;
        });
        const before = busy.ran.length;
        for (let call = 0; call < 100; call++) await resolve(did, `quick ${call}`);
        assert.equal(busy.ran.length, before);
        busy.release();
        await Promise.all(waiting);
    });

    it('keeps its known replicas while the name service is unreachable or finds none', async (t) => {
        const replica = await startReplica(t);
        const answers: Array<() => ReplicaAddress[]> = [
            () => [replica.address],
            () => [],
            () => {
                throw new Error('the name service is unreachable');
            },
        ];
        let asked = 0;
        const did = connectTo(t, [], {
            resolve: async () => (answers[asked++] ?? (answers.at(-1) as () => ReplicaAddress[]))(),
        });
        await until('the name service was asked again', () => asked > 4);
        assert.equal((await resolve(did, 'x')).did, 'x');
    });

    it('is `unavailable` while no address of the service is known', async (t) => {
        await assert.rejects(
            resolve(connectToNone(t, []), 'x'),
            ({ kind, retry_after }: AppError) => kind === 'unavailable' && retry_after === 1,
        );
    });
});
