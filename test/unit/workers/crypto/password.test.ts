import assert from 'node:assert/strict';
import test from 'node:test';
import argon2 from 'argon2';
import { AppError } from '../../../../platform/errors.ts';
import { DEFAULT_COST, hashPassword, needsRehash, verifyPassword } from '../../../../workers/crypto/password.ts';
import { cpuMs } from '../../cpu-time.ts';

const cost = { memory_kib: 64, passes: 1 };
const phc = hashPassword('correct horse', cost);

test('a hash is a PHC string with 16 bytes of random salt and 32 bytes of hash', () => {
    assert.match(phc, /^\$argon2id\$v=19\$m=64,t=1,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    assert.notEqual(hashPassword('correct horse', cost), phc);
    assert.match(hashPassword('x', DEFAULT_COST), /\$m=19456,t=2,p=1\$/);
});

test('a hash matches its own password only, to the last of 1,024 characters', () => {
    assert.equal(verifyPassword(phc, 'correct horse'), true);
    for (const wrong of ['', 'correct hors', 'Correct horse', 'correct horse ', ' correct horse']) {
        assert.equal(verifyPassword(phc, wrong), false, wrong);
    }
    const long = 'p'.repeat(1023);
    const hash = hashPassword(`${long}a`, cost);
    assert.equal(verifyPassword(hash, `${long}a`), true);
    assert.equal(verifyPassword(hash, `${long}b`), false);
});

test('a password typed in another Unicode form matches', () => {
    const hash = hashPassword('caf\u00e9 \ufb01ne \uff21', cost);
    assert.equal(verifyPassword(hash, 'cafe\u0301 fine A'), true);
    assert.equal(verifyPassword(hash, 'cafe fine A'), false);
});

test('the argon2 package verifies our hashes, and its hashes verify here', async () => {
    assert.equal(await argon2.verify(phc, 'correct horse'), true);
    assert.equal(await argon2.verify(phc, 'wrong'), false);
    const foreign = await argon2.hash('correct horse', { memoryCost: 256, timeCost: 3, parallelism: 1 });
    assert.equal(verifyPassword(foreign, 'correct horse'), true);
    assert.equal(verifyPassword(foreign, 'wrong'), false);
    assert.equal(needsRehash(foreign, { memory_kib: 256, passes: 3 }), false);
});

test('a hash with another cost needs a rehash', () => {
    assert.equal(needsRehash(phc, cost), false);
    assert.equal(needsRehash(phc, { ...cost, passes: 2 }), true);
    assert.equal(needsRehash(phc, { ...cost, memory_kib: 32 }), true);
});

test('a stored hash cannot make a thread work without bounds', () => {
    const withCost = (text: string) => phc.replace('m=64,t=1,p=1', text);
    const start = cpuMs();
    for (const bad of [
        'm=262145,t=1,p=1',
        'm=9999999,t=1,p=1',
        'm=64,t=11,p=1',
        'm=64,t=1,p=17',
        'm=64,t=1,p=9',
        'm=64,t=1',
        'm=64,t=-1,p=1',
        'm=64,t=0,p=1',
        'm=7,t=1,p=1',
        'm=6e9,t=1,p=1',
    ]) {
        for (const read of [() => verifyPassword(withCost(bad), 'x'), () => needsRehash(withCost(bad), cost)]) {
            assert.throws(read, (error) => error instanceof AppError && error.kind === 'internal', bad);
        }
    }
    assert.ok(cpuMs() - start < 100);
});

test('a text that is no Argon2id hash is refused, and the error does not contain it', () => {
    for (const bad of [
        '',
        'hunter2',
        '$2b$10$abcdefghijklmnopqrstuv',
        phc.replace('argon2id', 'argon2i'),
        phc.replace('v=19', 'v=16'),
        `${phc}\0`,
        `x${phc}`,
        phc.slice(0, 40),
    ]) {
        assert.throws(
            () => verifyPassword(bad, 'hunter2'),
            (error) =>
                error instanceof AppError && error.kind === 'internal' && !JSON.stringify(error).includes('hunter2'),
        );
    }
});
