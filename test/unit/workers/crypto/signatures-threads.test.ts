import assert from 'node:assert/strict';
import { subscribe } from 'node:diagnostics_channel';
import test, { after } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { AppError } from '../../../../platform/errors.ts';
import { queueStats } from '../../../../platform/queue-stats.ts';
import type { Signatures } from '../../../../workers/crypto/signatures.ts';
import { MALFORMED, NOTHING, newPool } from './signatures.fixture.ts';

/** All threads of this process, so that a test can kill one. The next `stillborn` threads are terminated at once. */
const threads: Worker[] = [];
let stillborn = 0;
subscribe('worker_threads', (message) => {
    const { worker } = message as { worker: Worker }; // as Node documents it
    threads.push(worker);
    if (stillborn-- > 0) void worker.terminate();
});

const pool = newPool();
after(() => pool.close());

test('operations of batches get their own answers, whichever keys stand side by side in a task', async () => {
    const [one, two] = [await pool.generate(), await pool.generate()];
    const signers = Array.from({ length: 200 }, (_, index) => (index % 5 < 3 ? one : two));
    const call = { background: true };
    const results = await Promise.allSettled(
        signers.map(({ did, seed }, index) =>
            pool.sign({ did: index % 7 === 0 ? one.did : did, secretKey: seed, payload: `{"iss":"${did}"}` }, call),
        ),
    );
    for (const [index, result] of results.entries()) {
        const signer = signers[index] ?? one;
        assert.equal(result.status, index % 7 === 0 && signer === two ? 'rejected' : 'fulfilled', `${index}`);
        if (result.status === 'rejected') continue;
        const opened = await pool.open({ token: result.value, did: signer.did, members: [], raw: [] }, call);
        assert.equal(opened.ok, true, `${index}`);
    }
    assert.ok(queueStats('signatures_background').items >= 200);
});

test('each of many concurrent calls gets its own answer, and a bad call fails alone', async () => {
    const keys = await Promise.all(Array.from({ length: 100 }, () => pool.generate()));
    assert.equal(new Set(keys.map(({ did }) => did)).size, 100);
    const results = await Promise.allSettled(
        keys.map(({ did, seed }, i) =>
            pool.sign({
                did,
                secretKey: i % 10 === 0 ? NOTHING : seed,
                payload: JSON.stringify({ iss: did, i: `${i}` }),
            }),
        ),
    );
    for (const [i, result] of results.entries()) {
        if (i % 10 === 0) assert.equal(result.status === 'rejected' && result.reason.detail, MALFORMED.detail, `${i}`);
        else {
            assert.ok(result.status === 'fulfilled');
            const opened = await pool.open({ token: result.value, members: ['iss', 'i'], raw: [] });
            assert.deepEqual(opened.ok && opened.payload, { iss: keys[i]?.did, i: `${i}` });
        }
    }
});

test('a private key may be a part of a large buffer', async () => {
    const { did, seed } = await pool.generate();
    const buffer = Buffer.alloc(1000, 7);
    buffer.set(seed, 500);
    const token = await pool.sign({
        did,
        secretKey: buffer.subarray(500, 532),
        payload: JSON.stringify({ iss: did }),
    });
    assert.equal((await pool.open({ token, members: [], raw: [] })).ok, true);
});

test('calls beyond the queue are refused at once, and the others are answered', async () => {
    const { did, seed } = await pool.generate();
    const calls = Array.from({ length: 6000 }, () => pool.sign({ did, secretKey: seed, payload: '{}' }));
    const results = await Promise.allSettled(calls);
    const refused = results.filter((result) => result.status === 'rejected').map(({ reason }) => reason);
    assert.equal(refused.length, 6000 - 4096 - 2 * 4 * 8, 'each of two threads gets four tasks of eight at once');
    for (const error of refused)
        assert.ok(error instanceof AppError && error.kind === 'unavailable' && error.retry_after);
});

/** Makes this many calls at once. Each must succeed or fail with `unavailable`. */
async function flood(signatures: Signatures, calls: number): Promise<{ done: number; unavailable: number }> {
    const results = await Promise.allSettled(Array.from({ length: calls }, () => signatures.generate()));
    const failed = results.filter((result) => result.status === 'rejected').map(({ reason }) => reason);
    for (const error of failed)
        assert.ok(error instanceof AppError && error.kind === 'unavailable' && error.retry_after);
    return { done: calls - failed.length, unavailable: failed.length };
}

test('a thread that dies fails its own calls with `unavailable`, and the others are answered', async () => {
    const signatures = newPool();
    await signatures.generate();
    const calls = flood(signatures, 1000);
    await new Promise((resolve) => setImmediate(resolve)); // now the first batches are with the threads
    void threads.at(-1)?.terminate();
    const { unavailable } = await calls;
    assert.ok(unavailable > 0 && unavailable <= 64, `${unavailable} failed, of two batches of 32`);
    assert.equal((await flood(signatures, 100)).done, 100);
    await signatures.close();
});

test('the pool recovers from threads that die while idle or while starting, and no call hangs', {
    timeout: 60_000,
}, async () => {
    for (let round = 0; round < 5; round++) {
        const signatures = newPool();
        await signatures.generate();
        stillborn = round;
        for (const thread of threads.slice(-2)) void thread.terminate();
        let answers = await flood(signatures, 100);
        const deadline = Date.now() + 10_000;
        while (answers.unavailable > 0 && Date.now() < deadline) answers = await flood(signatures, 100);
        assert.equal(answers.done, 100, `after ${round} stillborn threads`);
        await signatures.close();
    }
});

test('long tokens are not checked together: a batch has at most 262,144 characters', async () => {
    const { batches } = queueStats('signatures');
    const token = `v4.public.${'A'.repeat(200_000)}`;
    await Promise.all(Array.from({ length: 6 }, () => pool.open({ token, members: [], raw: [] })));
    assert.equal(queueStats('signatures').batches - batches, 6);
});
