import assert from 'node:assert/strict';
import { argon2Sync, randomBytes } from 'node:crypto';
import { subscribe } from 'node:diagnostics_channel';
import test, { after } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { AppError } from '../../../../platform/errors.ts';
import { createMetrics } from '../../../../platform/telemetry/metrics.ts';
import { hashPassword } from '../../../../workers/crypto/password.ts';
import { passwordPool } from '../../../../workers/crypto/passwords.ts';
import { poolMetrics } from '../../../../workers/crypto/pool-metrics.ts';

const threads: Worker[] = [];
subscribe('worker_threads', (message) => threads.push((message as { worker: Worker }).worker)); // as Node documents it

const cost = { memory_kib: 64, passes: 1 };
const pool = passwordPool({ threads: 2, cost, max_waiting: 10, metrics: poolMetrics(createMetrics()) });
after(() => pool.close());

const unavailable = (error: unknown) =>
    error instanceof AppError && error.kind === 'unavailable' && error.retry_after === 1;

test('a password matches its hash, and a hash of another cost asks to be made again', async () => {
    const phc = await pool.hash('correct horse');
    assert.deepEqual(await pool.verify(phc, 'correct horse'), { matches: true, rehash: false });
    assert.deepEqual(await pool.verify(phc, 'wrong'), { matches: false, rehash: false });
    const old = hashPassword('correct horse', { memory_kib: 32, passes: 2 });
    assert.deepEqual(await pool.verify(old, 'correct horse'), { matches: true, rehash: true });
    assert.deepEqual(await pool.verify(old, 'wrong'), { matches: false, rehash: false });
});

test('a key is Argon2id of the password, the salt and the cost that are given', async () => {
    const nonce = randomBytes(16);
    for (const [memory_kib, passes] of [
        [8, 1],
        [64, 3],
    ] as const) {
        const message = 'correct horse ①';
        const parameters = { message: message.normalize('NFKC'), nonce, parallelism: 1, tagLength: 32 };
        const expected = argon2Sync('argon2id', { ...parameters, memory: memory_kib, passes });
        assert.deepEqual(Buffer.from(await pool.derive(message, nonce, { memory_kib, passes })), expected);
    }
    assert.notDeepEqual(await pool.derive('a', nonce, cost), await pool.derive('a', randomBytes(16), cost));
    assert.notDeepEqual(await pool.derive('a', nonce, cost), await pool.derive('b', nonce, cost));
});

test('no stored parameters make a thread work longer, or take more memory, than is reasonable', async () => {
    const salt = randomBytes(16);
    const bad = [
        { salt: randomBytes(15) },
        { salt: randomBytes(17) },
        { memory_kib: 7 },
        { memory_kib: 262_145 },
        { passes: 0 },
        { passes: 11 },
        { passes: Number.NaN },
    ];
    for (const change of bad) {
        const { salt: used, ...used_cost } = { salt, ...cost, ...change };
        const error = await pool.derive('hunter2', used, used_cost).catch((thrown: unknown) => thrown);
        assert.ok(error instanceof AppError && error.kind === 'internal', JSON.stringify(change));
    }
});

test('background hashes are hashes like any other', async () => {
    const phcs = await Promise.all(['a', 'b', 'c'].map((password) => pool.hash(password, { background: true })));
    const answers = await Promise.all(['a', 'b', 'x'].map((password, i) => pool.verify(phcs[i] ?? '', password)));
    assert.deepEqual(
        answers.map(({ matches }) => matches),
        [true, true, false],
    );
});

test('a flood is bounded: the queue fills, the rest is refused at once', async () => {
    const results = await Promise.allSettled(Array.from({ length: 50 }, () => pool.hash('x')));
    const refused = results.filter((result) => result.status === 'rejected');
    assert.equal(refused.length, 50 - 2 - 10);
    for (const { reason } of refused) assert.ok(unavailable(reason));
});

test('no error repeats the password', async () => {
    const secret = 'hunter2-hunter2';
    const everything = (error: unknown): string =>
        error instanceof Error
            ? `${error.message} ${error.stack} ${JSON.stringify(error)} ${everything(error.cause)}`
            : String(error);
    for (const phc of ['junk', `$argon2id$v=19$m=9999999,t=1,p=1$${secret}$${secret}`]) {
        const error = await pool.verify(phc, secret).catch((thrown: unknown) => thrown);
        assert.ok(error instanceof AppError && error.kind === 'internal');
        assert.equal(everything(error).includes(secret), false);
    }
});

test('a thread that dies fails its own job only, and the pool is whole again', async () => {
    const victims = passwordPool({
        threads: 2,
        cost: { memory_kib: 19_456, passes: 10 },
        max_waiting: 10,
        metrics: poolMetrics(createMetrics()),
    });
    await victims.hash('x');
    const jobs = Promise.allSettled(Array.from({ length: 6 }, () => victims.hash('hunter2')));
    void threads.at(-1)?.terminate();
    const failed = (await jobs).filter((result) => result.status === 'rejected');
    assert.equal(failed.length, 1);
    assert.ok(unavailable(failed[0]?.reason));
    assert.equal(String(failed[0]?.reason.cause).includes('hunter2'), false);
    await Promise.all([victims.hash('x'), victims.hash('x')]);
    await victims.close();
});
