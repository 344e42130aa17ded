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
const pool = passwordPool({ threads: 2, cost, maxWaiting: 10, metrics: poolMetrics(createMetrics()) });
after(() => pool.close());

const unavailable = (error: unknown) =>
    error instanceof AppError && error.kind === 'unavailable' && error.retry_after === 1;

test('a password matches its hash, and a hash with another cost needs a rehash', async () => {
    const phc = await pool.hash('correct horse');
    assert.deepEqual(await pool.verify(phc, 'correct horse'), { matches: true, rehash: false });
    assert.deepEqual(await pool.verify(phc, 'wrong'), { matches: false, rehash: false });
    const old = hashPassword('correct horse', { memory_kib: 32, passes: 2 });
    assert.deepEqual(await pool.verify(old, 'correct horse'), { matches: true, rehash: true });
    assert.deepEqual(await pool.verify(old, 'wrong'), { matches: false, rehash: false });
});

test('a derived key is Argon2id of the given password, salt and cost', async () => {
    const nonce = randomBytes(16);
    for (const [memoryKib, passes] of [
        [8, 1],
        [64, 3],
    ] as const) {
        const message = 'correct horse ①';
        const parameters = { message: message.normalize('NFKC'), nonce, parallelism: 1, tagLength: 32 };
        const expected = argon2Sync('argon2id', { ...parameters, memory: memoryKib, passes });
        assert.deepEqual(Buffer.from(await pool.derive(message, nonce, { memory_kib: memoryKib, passes })), expected);
    }
    assert.notDeepEqual(await pool.derive('a', nonce, cost), await pool.derive('a', randomBytes(16), cost));
    assert.notDeepEqual(await pool.derive('a', nonce, cost), await pool.derive('b', nonce, cost));
});

test('stored parameters out of their bounds are refused, so that no thread takes too much time or memory', async () => {
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
        const { salt: used, ...usedCost } = { salt, ...cost, ...change };
        const error = await pool.derive('hunter2', used, usedCost).catch((thrown: unknown) => thrown);
        assert.ok(error instanceof AppError && error.kind === 'internal', JSON.stringify(change));
    }
});

test('hashes that were made in the background verify like any other', async () => {
    const phcs = await Promise.all(['a', 'b', 'c'].map((password) => pool.hash(password, { background: true })));
    const answers = await Promise.all(['a', 'b', 'x'].map((password, i) => pool.verify(phcs[i] ?? '', password)));
    assert.deepEqual(
        answers.map(({ matches }) => matches),
        [true, true, false],
    );
});

test('calls beyond the queue are refused at once', async () => {
    const results = await Promise.allSettled(Array.from({ length: 50 }, () => pool.hash('x')));
    const refused = results.filter((result) => result.status === 'rejected');
    assert.equal(refused.length, 50 - 2 - 10);
    for (const { reason } of refused) assert.ok(unavailable(reason));
});

test('no error contains the password', async () => {
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

test('a thread that dies fails only its own job, and the pool replaces the thread', async () => {
    const victims = passwordPool({
        threads: 2,
        cost: { memory_kib: 19_456, passes: 10 },
        maxWaiting: 10,
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

test('a password of one address is checked soon, however many of another address wait', async (t) => {
    const fair = passwordPool({ threads: 1, cost, maxWaiting: 50, metrics: poolMetrics(createMetrics()) });
    t.after(() => fair.close());
    const phc = await fair.hash('correct horse');
    const checked: string[] = [];
    const check = (address: string) => fair.verify(phc, 'wrong', { address }).then(() => checked.push(address));
    await Promise.all([...Array.from({ length: 40 }, () => check('192.0.2.1')), check('192.0.2.2')]);
    assert.ok(checked.indexOf('192.0.2.2') <= 3, `${checked.indexOf('192.0.2.2')} others came first`);
});
