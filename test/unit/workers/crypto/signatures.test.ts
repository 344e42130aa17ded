import assert from 'node:assert/strict';
import { subscribe } from 'node:diagnostics_channel';
import test, { after, before } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { AppError } from '../../../../platform/errors.ts';
import { createMetrics } from '../../../../platform/telemetry/metrics.ts';
import { encodeDidKey } from '../../../../workers/crypto/did-key.ts';
import { type KeyPair, type PublicKey, publicKeyOf, secretKeyBytes } from '../../../../workers/crypto/ed25519.ts';
import { signPublic, signToken } from '../../../../workers/crypto/paseto.ts';
import { poolMetrics } from '../../../../workers/crypto/pool-metrics.ts';
import { inlineSignatures, type Signatures, signaturePool } from '../../../../workers/crypto/signatures.ts';

/** Every thread that this process starts, so that a test can kill one; the next `stillborn` ones die at once. */
const threads: Worker[] = [];
let stillborn = 0;
subscribe('worker_threads', (message) => {
    const { worker } = message as { worker: Worker }; // as Node documents it
    threads.push(worker);
    if (stillborn-- > 0) void worker.terminate();
});

const NOTHING = new Uint8Array(0);
const pool = signaturePool({ threads: 2, metrics: poolMetrics(createMetrics()) });
after(() => pool.close());

const MALFORMED = { kind: 'invalid', detail: 'The private key is not an Ed25519 private key.' };
const FOREIGN = { kind: 'invalid', detail: 'The private key does not belong to the DID.' };

/** A token of a payload of any bytes, signed as it is. */
function tokenOf(payload: string | Uint8Array, { seed, public_key }: KeyPair): string {
    const message = Buffer.from(payload);
    return signPublic({ message, footer: NOTHING, implicit: NOTHING, seed, public_key });
}

for (const [name, signatures] of [
    ['inline', inlineSignatures()],
    ['on threads', pool],
] as Array<[string, Signatures]>) {
    let key: KeyPair & { did: string };
    let secret_key: Uint8Array;
    before(async () => {
        key = await signatures.generate();
        secret_key = secretKeyBytes(key.seed, key.public_key);
    });

    const reasonOf = async (token: string, did?: string) => {
        const opened = await signatures.open({ token, did, members: [], raw: ['claims'] });
        return opened.ok ? 'ok' : opened.reason;
    };

    test(`${name}: a new key pair belongs together and to its DID`, () => {
        assert.deepEqual(publicKeyOf(key.seed), key.public_key);
        assert.equal(encodeDidKey(key.public_key), key.did);
        assert.equal(key.seed.buffer.byteLength, 32, 'in memory of its own');
    });

    test(`${name}: a token gives back what was signed, the raw members to the letter`, async () => {
        const claims = '{"n":12345678901234567890,"2":1.0,"1":-0,"__proto__":{"a":1}, "e":1e2}';
        const long = JSON.stringify(Array(1_001).fill(''));
        const others = `"__proto__":{"b":2},"metadata":[1],"list":["a",""],"long":${long},"other":{}`;
        const payload = `{"iss":"${key.did}","claims":${claims},${others}}`;
        for (const form of [secret_key, key.seed]) {
            const token = await signatures.sign({ did: key.did, secret_key: form, payload });
            for (const did of [key.did, undefined]) {
                const members = ['iss', 'list', 'metadata', 'long', 'absent', 'constructor'];
                const opened = await signatures.open({ token, did, members, raw: ['claims', 'metadata', 'absent'] });
                assert.ok(opened.ok);
                assert.deepEqual(opened.raw, { claims });
                const payload = { iss: key.did, list: ['a', ''], metadata: null, long: null };
                assert.deepEqual(opened.payload, payload, 'only what was asked for, and only strings and short lists');
            }
        }
    });

    test(`${name}: a key that is malformed or not the DID's is refused, and signs nothing`, async () => {
        const other = await signatures.generate();
        const mixed = secretKeyBytes(key.seed, other.public_key);
        const sign = (bytes: Uint8Array) => signatures.sign({ did: key.did, secret_key: bytes, payload: '{}' });
        for (const foreign of [secretKeyBytes(other.seed, other.public_key), other.seed]) {
            await assert.rejects(sign(foreign), FOREIGN);
        }
        for (const malformed of [mixed, secret_key.subarray(1), NOTHING]) {
            await assert.rejects(sign(malformed), MALFORMED);
        }
        await assert.rejects(signatures.sign({ did: 'did:web:x', secret_key, payload: '{}' }), FOREIGN);
    });

    test(`${name}: a token opens under its own key only`, async () => {
        const other = await signatures.generate();
        const payload = JSON.stringify({ iss: key.did });
        const token = tokenOf(payload, key);
        assert.equal(await reasonOf(token), 'ok');
        assert.equal(await reasonOf(token, key.did), 'ok');
        assert.equal(await reasonOf(token, other.did), 'The signature is not valid.');
        assert.equal(await reasonOf(tokenOf(payload, other)), 'The signature is not valid.');
        for (const iss of [undefined, 5, {}, 'did:web:x', `${key.did}#1`]) {
            assert.equal(
                await reasonOf(tokenOf(JSON.stringify({ iss }), key)),
                'The issuer is not an Ed25519 did:key.',
            );
        }
        assert.equal(await reasonOf(token, 'did:web:x'), 'The issuer is not an Ed25519 did:key.');
    });

    test(`${name}: a token under a key of small order never opens`, async () => {
        const zero = new Uint8Array(32) as PublicKey; // 32 bytes
        const did = encodeDidKey(zero);
        const signature = new Uint8Array(64);
        signature[0] = 1; // R of order 1 and S = 0: what a lax check accepts for such a key
        const body = Buffer.concat([Buffer.from(JSON.stringify({ iss: did })), signature]).toString('base64url');
        assert.equal(await reasonOf(`v4.public.${body}`), 'The signature is not valid.');
    });

    test(`${name}: a payload that is not strict JSON is refused, though its signature holds`, async () => {
        const refusals: Array<[string | Uint8Array, string]> = [
            ['[]'.padEnd(20), 'The payload is not a JSON object.'],
            ['null', 'The payload is not a JSON object.'],
            ['57', 'The payload is not a JSON object.'],
            ['"text"', 'The payload is not a JSON object.'],
            ['not JSON', 'The payload is not acceptable JSON: not valid JSON.'],
            ['\ufeff{}', 'The payload is not acceptable JSON: not valid JSON.'],
            ['{"a":1,"a":2}', 'The payload is not acceptable JSON: a key stands twice in one object.'],
            ['{"a":"\\u0000"}', 'The payload is not acceptable JSON: NUL character in a string.'],
            [
                '['.repeat(50_000) + ']'.repeat(50_000),
                'The payload is not acceptable JSON: nested deeper than 32 levels.',
            ],
            [Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d), 'The payload is not UTF-8.'],
            [Buffer.from('eda0807b7d', 'hex'), 'The payload is not UTF-8.'],
        ];
        for (const [payload, reason] of refusals) assert.equal(await reasonOf(tokenOf(payload, key), key.did), reason);
    });

    test(`${name}: of a payload nothing is told, not even what is wrong with it, before its signature holds`, async () => {
        const other = await signatures.generate();
        for (const payload of ['{"a":1,"a":2}', 'not JSON', '[]'.padEnd(20), Uint8Array.of(0x7b, 0xff, 0x7d)]) {
            assert.equal(await reasonOf(tokenOf(payload, other), key.did), 'The signature is not valid.');
        }
    });

    test(`${name}: what is no token is a negative answer, not an error`, async () => {
        for (const text of [
            '',
            'v4.public.',
            'x'.repeat(2_000_000),
            signToken('{}', key.seed, key.public_key).slice(0, -1),
        ]) {
            assert.equal(await reasonOf(text, key.did), 'The token is not a well-formed v4.public token.');
        }
    });
}

test('of many calls at once, each gets its own answer, and a bad one fails alone', async () => {
    const keys = await Promise.all(Array.from({ length: 100 }, () => pool.generate()));
    assert.equal(new Set(keys.map(({ did }) => did)).size, 100);
    const results = await Promise.allSettled(
        keys.map(({ did, seed }, i) =>
            pool.sign({
                did,
                secret_key: i % 10 === 0 ? NOTHING : seed,
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

test('a key that lies in a large buffer crosses alone', async () => {
    const { did, seed } = await pool.generate();
    const buffer = Buffer.alloc(1000, 7);
    buffer.set(seed, 500);
    const token = await pool.sign({
        did,
        secret_key: buffer.subarray(500, 532),
        payload: JSON.stringify({ iss: did }),
    });
    assert.equal((await pool.open({ token, members: [], raw: [] })).ok, true);
});

test('calls beyond the queue are refused at once, and the others are answered', async () => {
    const { did, seed } = await pool.generate();
    const calls = Array.from({ length: 6000 }, () => pool.sign({ did, secret_key: seed, payload: '{}' }));
    const results = await Promise.allSettled(calls);
    const refused = results.filter((result) => result.status === 'rejected').map(({ reason }) => reason);
    assert.equal(refused.length, 6000 - 4096, 'all of one turn wait for its end');
    for (const error of refused)
        assert.ok(error instanceof AppError && error.kind === 'unavailable' && error.retry_after);
});

/** Makes so many calls at once; each succeeds or fails with `unavailable`. */
async function flood(signatures: Signatures, calls: number): Promise<{ done: number; unavailable: number }> {
    const results = await Promise.allSettled(Array.from({ length: calls }, () => signatures.generate()));
    const failed = results.filter((result) => result.status === 'rejected').map(({ reason }) => reason);
    for (const error of failed)
        assert.ok(error instanceof AppError && error.kind === 'unavailable' && error.retry_after);
    return { done: calls - failed.length, unavailable: failed.length };
}

test('a thread that dies fails its own calls with `unavailable`, and the others are answered', async () => {
    const signatures = signaturePool({ threads: 2, metrics: poolMetrics(createMetrics()) });
    await signatures.generate();
    const calls = flood(signatures, 1000);
    await new Promise((resolve) => setImmediate(resolve)); // now the first batches are with the threads
    void threads.at(-1)?.terminate();
    const { unavailable } = await calls;
    assert.ok(unavailable > 0 && unavailable <= 64, `${unavailable} failed, of two batches of 32`);
    assert.equal((await flood(signatures, 100)).done, 100);
    await signatures.close();
});

test('threads that die idle, and their successors while they start, leave no call waiting and a whole pool', {
    timeout: 60_000,
}, async () => {
    for (let round = 0; round < 5; round++) {
        const signatures = signaturePool({ threads: 2, metrics: poolMetrics(createMetrics()) });
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
