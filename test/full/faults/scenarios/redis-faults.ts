import { setTimeout as delay } from 'node:timers/promises';
import { latencyOf } from '../../../../bench/percentiles.ts';
import { RATE_LIMITS } from '../../../../proto/tiers.ts';
import { httpClient, isAcknowledged } from '../load/calls.ts';
import type { Scenario, Trial } from '../scenario.ts';

const AWAY_MS = 3_000;
const SLOW_MS = 500;
const BAD_MS = 5_000;
/** Largest rise of p99 after the first second of a fault, in milliseconds. */
const LATER_MS = 60;
const FREE_LIMIT = RATE_LIMITS.free;
/** Length of the rate limit window, in seconds. It is long enough to use up the limit. */
const WINDOW_S = 20;
/** Jobs must run again within this time, in milliseconds. */
const SCHEDULED_MS = 75_000;

const ROLLED_UP_AT = 'job_last_success_timestamp_seconds{queue="usage",task="roll_up"}';

const PHASES: ReadonlyArray<
    readonly [what: string, ms: number, begin: (trial: Trial) => unknown, end: (trial: Trial) => unknown]
> = [
    ['a stop', AWAY_MS, ({ stack: { redis } }) => redis.end('SIGTERM'), ({ stack: { redis } }) => redis.start()],
    ['kill -9', AWAY_MS, ({ stack: { redis } }) => redis.end('SIGKILL'), ({ stack: { redis } }) => redis.start()],
    ['FLUSHALL', 1_000, ({ stack: { redis } }) => redis.command('FLUSHALL'), () => {}],
    ['slowness', BAD_MS, ({ stack }) => stack.proxies.redis.delay(SLOW_MS), ({ stack }) => stack.proxies.redis.heal()],
    [
        'a black hole',
        BAD_MS,
        ({ stack }) => stack.proxies.redis.blackHole('requests', 'answers'),
        ({ stack }) => stack.proxies.redis.heal(),
    ],
    [
        'a read-only Redis',
        AWAY_MS,
        ({ stack: { redis } }) => redis.command('REPLICAOF', '127.0.0.1', 1),
        ({ stack: { redis } }) => redis.command('REPLICAOF', 'NO', 'ONE'),
    ],
];

async function run(trial: Trial): Promise<void> {
    const { load, scaled, recovered, target, note } = trial;
    const p99 = (from: number, to: number): number =>
        latencyOf(load.between(from, to).map(({ outcome }) => outcome?.tookMs ?? 0)).p99;
    const usual = p99(performance.now() - 2_000, performance.now());
    for (const [what, ms, begin, end] of PHASES) {
        const began = performance.now();
        await begin(trial);
        await delay(Math.max(scaled(ms), 1_500));
        const during = p99(began + 1_000, performance.now());
        await end(trial);
        await recovered(what, performance.now());
        note(`p99 ${Math.round(usual)} ms before, ${Math.round(during)} ms after the first second of ${what}`);
        target(`p99 rose by ${Math.round(during - usual)} ms in ${what}`, during - usual <= LATER_MS);
        await delay(500);
    }
    await countOverFlush(trial);
}

/** Checks that a window in which Redis loses its data admits at most twice the limit. */
async function countOverFlush({ stack, load, broken }: Trial): Promise<void> {
    const [actor] = load.actors;
    if (!actor) return;
    const { token, did } = actor;
    const name = 'limited';
    const request = { method: 'POST', path: '/v1/keys/generate', token, body: { name, tier: 'free' } } as const;
    const made = await actor.perform({ kind: 'make-key', name }, request);
    if (!isAcknowledged(made)) return broken('I6', 'no key could be created after the faults were over');
    const use = { method: 'GET', path: `/v1/did/${did}`, token: String(made.data['api_key']) } as const;
    const { send, close } = httpClient(stack.ports, stack.secrets.internal);
    const began = performance.now();
    let admitted = 0;
    for (let call = 0; call < 4 * FREE_LIMIT; call++) {
        if (call === 2 * FREE_LIMIT) await stack.redis.command('FLUSHALL');
        const outcome = await send(call % 2, use);
        if ('status' in outcome && outcome.status === 200) admitted++;
    }
    close();
    const keyId = String(made.data['key_id']);
    await actor.perform({ kind: 'revoke-key', keyId }, { method: 'DELETE', path: `/v1/keys/${keyId}`, token });
    // FLUSHALL starts one more window, and on a busy machine the calls may take longer than one.
    const windows = 2 + Math.floor((performance.now() - began) / (WINDOW_S * 1_000));
    if (admitted > windows * FREE_LIMIT)
        broken('I6', `${admitted} calls were admitted over FLUSHALL, with a limit of ${FREE_LIMIT}`);
}

/** Redis loses all its data, with the schedules of the jobs. The service must create the schedules again. */
async function forget(trial: Trial): Promise<void> {
    const { stack, recovered } = trial;
    const { redis } = stack;
    await redis.command('FLUSHALL');
    await recovered('FLUSHALL', performance.now());
    await awaitJobs(trial, 'FLUSHALL');
    await redis.end('SIGKILL');
    redis.forget();
    await redis.start();
    await recovered('an empty Redis', performance.now());
    await awaitJobs(trial, 'an empty Redis');
}

async function awaitJobs({ stack, broken, note }: Trial, after: string): Promise<void> {
    const usage = stack.of('usage')[0];
    if (!usage) return;
    const began = performance.now();
    const since = Date.now() / 1_000 + 1; // a job that was running before does not count
    while (performance.now() - began < SCHEDULED_MS) {
        if ((await usage.metric(ROLLED_UP_AT)) > since) {
            return note(`jobs ran again ${Math.round((performance.now() - began) / 1_000)} s after ${after}`);
        }
        await delay(500);
    }
    broken('I4', `no job ran within ${SCHEDULED_MS / 1_000} s after ${after}: its schedule did not come back`);
}

const stack = { settings: { RATE_WINDOW_SECONDS: String(WINDOW_S) } };

export const redisFaults: readonly Scenario[] = [
    { id: 'F4', fault: 'Redis stops, is killed, flushed, slow, silent, read-only', form: 'apart', stack, run },
    { id: 'F4', fault: 'the same, all roles in one process', form: 'together', stack, run },
    {
        id: 'F23',
        fault: 'FLUSHALL, and an empty Redis at the same address',
        isMostlyIdle: true,
        form: 'apart',
        run: forget,
    },
];
