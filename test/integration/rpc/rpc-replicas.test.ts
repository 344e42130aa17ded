import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { AppError } from '../../../platform/errors.ts';
import { type ReplicaAddress, resolveAddresses } from '../../../platform/rpc/resolve.ts';
import { serviceRegistry } from '../../../platform/rpc/service-registry.ts';
import { createMetrics } from '../../../platform/telemetry/metrics.ts';
import { DidServiceDefinition } from '../../../proto/gen/did/v1/did.ts';
import { authority } from '../../support/certificates.ts';
import { quiet, testContext } from '../../support/harness.ts';
import {
    connectCounted,
    connectTo,
    create,
    cuttable,
    load,
    type Replica,
    resolve,
    startReplica,
    TOKEN,
    until,
} from './rpc.fixture.ts';

const replicas = (t: Parameters<typeof startReplica>[0], count: number): Promise<Replica[]> =>
    Promise.all(Array.from({ length: count }, () => startReplica(t)));

/** How many calls each replica runs while `calls` are sent. */
async function shares(among: Replica[], sent: () => number, calls: number): Promise<number[]> {
    const began = among.map(({ ran }) => ran.length);
    const first = sent();
    await until(`${calls} calls`, () => sent() >= first + calls);
    return among.map(({ ran }, index) => ran.length - (began[index] ?? 0));
}

/** Waits until `look` gives what is expected; fails with what it gives instead. */
async function untilEqual(look: () => Promise<unknown>, expected: unknown): Promise<void> {
    const give_up = performance.now() + 30_000;
    while (performance.now() < give_up && !isDeepStrictEqual(await look(), expected)) await delay(5);
    assert.deepEqual(await look(), expected);
}

describe('a service of several replicas', () => {
    it('gives one that is added under load its share of the calls within 10 s', async (t) => {
        const all = await replicas(t, 3);
        const [first, second, added] = all as [Replica, Replica, Replica];
        const addresses = [first.address, second.address];
        const { did, looks } = connectCounted(t, addresses);
        const running = load(t, (name) => resolve(did, name));
        await until('both are called', () => first.ran.length > 100 && second.ran.length > 100);
        const looked = looks();
        await until('it looks as seldom as ever, since all are open', () => looks() > looked);
        addresses.push(added.address);
        const added_at = performance.now();
        await until('the new one is called', () => added.ran.length > 0);
        const counts = await shares(all, running.sent, 3_000);
        assert.ok(performance.now() - added_at < 10_000);
        assert.deepEqual(await running.stop(), []);
        const fair = counts.reduce((sum, count) => sum + count) / 3;
        for (const count of counts) assert.ok(count >= 0.8 * fair, `${counts}`);
    });

    it('is shown in the metrics of its callers: how many are connected, and how many are not', async (t) => {
        const [staying, stopping] = (await replicas(t, 2)) as [Replica, Replica];
        const metrics = createMetrics();
        const calling = serviceRegistry({
            local_roles: ['gateway'],
            addressOf: () => `${staying.address.target},${stopping.address.target}`,
            service_token: TOKEN,
            tls: undefined,
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

    it('loses no call when one is not found any more, and sends it nothing', async (t) => {
        const [staying, leaving] = (await replicas(t, 2)) as [Replica, Replica];
        const addresses = [staying.address, leaving.address];
        const { did, looks } = connectCounted(t, addresses, 50);
        const running = load(t, (name) => create(did, name));
        await until('both are called', () => staying.ran.length > 100 && leaving.ran.length > 100);
        addresses.pop();
        const gone_after = looks() + 2; // the next one may have begun before
        await until('it was looked up', () => looks() >= gone_after);
        await shares([staying], running.sent, 200); // what was under way has come back
        const [, left_over] = await shares([staying, leaving], running.sent, 2_000);
        assert.equal(left_over, 0);
        assert.deepEqual(await running.stop(), []);
    });

    it('loses no call, safe or not, when one stops under load, and runs none twice', async (t) => {
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

    it('loses no call that is safe to repeat when one is killed under load', async (t) => {
        const [staying, killed] = (await replicas(t, 2)) as [Replica, Replica];
        const { address, cut } = await cuttable(t, killed.address);
        const did = connectTo(t, [staying.address, address]);
        const running = load(t, (name) => resolve(did, name));
        await until('both are called', () => staying.ran.length > 100 && killed.ran.length > 100);
        cut();
        await shares([staying], running.sent, 1_000);
        assert.deepEqual(await running.stop(), []);
    });

    it('fails what may have run and is not safe to repeat when one is killed, and runs none twice', async (t) => {
        const [staying, killed] = (await replicas(t, 2)) as [Replica, Replica];
        const { address, cut } = await cuttable(t, killed.address);
        const did = connectTo(t, [staying.address, address]);
        await until('both are called', () => {
            void resolve(did, 'probe');
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
        assert.ok(refusals.every(({ kind, retry_after }: AppError) => kind === 'unavailable' && retry_after === 1));
    });

    it('is reached although one of its addresses is dead, even by calls that are not safe to repeat', async (t) => {
        const replica = await startReplica(t);
        const { address: dead, cut } = await cuttable(t, replica.address);
        cut();
        for (let round = 0; round < 10; round++) {
            const did = connectTo(t, [dead, replica.address]);
            assert.equal((await create(did, `first ${round}`)).did, `first ${round}`);
        }
    });

    it('leaves out a busy one: a call goes to the less busy of two', async (t) => {
        const [busy, idle] = (await replicas(t, 2)) as [Replica, Replica];
        const addresses = [busy.address];
        const did = connectTo(t, addresses);
        const waiting = Array.from({ length: 10 }, (_, index) => resolve(did, `held ${index}`));
        await until('they are under way', () => busy.ran.length === 10);
        addresses.push(idle.address);
        await until('the other one is called', () => {
            void resolve(did, 'probe');
            return idle.ran.length > 0;
        });
        const before = busy.ran.length;
        for (let call = 0; call < 100; call++) await resolve(did, `quick ${call}`);
        assert.equal(busy.ran.length, before);
        busy.release();
        await Promise.all(waiting);
    });

    it('goes on with those it knows while the name service is away or knows none', async (t) => {
        const replica = await startReplica(t);
        const answers: Array<() => ReplicaAddress[]> = [
            () => [replica.address],
            () => [],
            () => {
                throw new Error('the name service is away');
            },
        ];
        let asked = 0;
        const did = connectTo(t, [], {
            resolve: async () => (answers[asked++] ?? (answers.at(-1) as () => ReplicaAddress[]))(),
        });
        await until('the names were looked up again', () => asked > 4);
        assert.equal((await resolve(did, 'x')).did, 'x');
    });

    it('is `unavailable` while no address of the service is known', async (t) => {
        await assert.rejects(
            resolve(connectTo(t, []), 'x'),
            ({ kind, retry_after }: AppError) => kind === 'unavailable' && retry_after === 1,
        );
    });
});

describe('the addresses of a service', () => {
    it('are those that its name stands for, and may be several', async () => {
        const found = await resolveAddresses('127.0.0.2:7000,localhost:7001');
        assert.deepEqual(found[0], { target: '127.0.0.2:7000', host: '127.0.0.2' });
        const by_name = found.slice(1);
        assert.ok(by_name.some(({ target }) => target === '127.0.0.1:7001' || target === '[::1]:7001'));
        assert.ok(by_name.every(({ host }) => host === 'localhost'));
    });

    it('must have certificates for the name that they were found by', async (t) => {
        const ours = authority('ours');
        const tls = { ...ours.certify('did'), ca: ours.cert };
        const { target } = (await startReplica(t, { tls })).address;
        assert.equal((await resolve(connectTo(t, [{ target, host: 'localhost' }], { tls }), 'x')).did, 'x');
        const late = testContext({ deadline: performance.now() + 1_000 });
        await assert.rejects(resolve(connectTo(t, [{ target, host: 'did.example' }], { tls }), 'x', late));
    });
});
