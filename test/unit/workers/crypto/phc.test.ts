import assert from 'node:assert/strict';
import { pbkdf2Sync, randomBytes, scryptSync } from 'node:crypto';
import test from 'node:test';
import argon2 from 'argon2';
import { DEFAULT_COST, needsRehash, verifyPassword } from '../../../../workers/crypto/password.ts';
import { importedPhc, readPhc } from '../../../../workers/crypto/phc.ts';
import { cpuMs } from '../../cpu-time.ts';

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64').replaceAll('=', '');

/** A hash of each form, made without the code under test. */
async function hashesOf(password: string): Promise<Record<string, string>> {
    const salt = randomBytes(16);
    const key = scryptSync(password, salt, 64, { N: 1_024, r: 4, p: 3 });
    const derived = pbkdf2Sync(password, salt, 1_500, 32, 'sha256');
    return {
        argon2id: await argon2.hash(password, { memoryCost: 256, timeCost: 3, parallelism: 4 }),
        scrypt: `$scrypt$ln=10,r=4,p=3$${base64(salt)}$${base64(key)}`,
        'pbkdf2-sha256': `$pbkdf2-sha256$i=1500$${base64(salt)}$${base64(derived)}`,
        'pbkdf2-sha256 with its length': `$pbkdf2-sha256$i=1500,l=32$${base64(salt)}$${base64(derived)}`,
    };
}

test('a hash of each form matches its own password only, and needs a rehash', async () => {
    for (const [form, phc] of Object.entries(await hashesOf('correct horse'))) {
        assert.equal(verifyPassword(phc, 'correct horse'), true, form);
        for (const wrong of ['', 'correct hors', 'Correct horse', 'correct horse ']) {
            assert.equal(verifyPassword(phc, wrong), false, `${form} ${wrong}`);
        }
        assert.equal(needsRehash(phc, DEFAULT_COST), true, form);
    }
});

test('the vectors of RFC 7914 match', () => {
    const scrypt = Buffer.from(
        '7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887',
        'hex',
    );
    const phc = `$scrypt$ln=14,r=8,p=1$${base64(Buffer.from('SodiumChloride'))}$${base64(scrypt)}`;
    assert.equal(verifyPassword(phc, 'pleaseletmein'), true);
    assert.equal(verifyPassword(phc, 'pleaseletmeout'), false);
});

test('a hash that another system made of a password as it was typed matches', async () => {
    const typed = 'cafe\u0301 \ufb01ne';
    for (const [form, phc] of Object.entries(await hashesOf(typed))) {
        assert.equal(verifyPassword(phc, typed), true, form);
        assert.equal(verifyPassword(phc, 'cafe fine'), false, form);
    }
    for (const phc of Object.values(await hashesOf(typed.normalize('NFKC')))) {
        assert.equal(verifyPassword(phc, typed), true);
    }
});

test('a hash is accepted up to each bound, and says which one it exceeds', () => {
    const ending = `$${'a'.repeat(22)}$${'b'.repeat(43)}`;
    const faultOf = (text: string) => {
        const hash = readPhc(`$${text}${ending}`);
        return 'fault' in hash ? hash.fault : undefined;
    };
    for (const good of [
        'argon2id$v=19$m=262144,t=10,p=16',
        'argon2id$v=19$m=8,t=1,p=1',
        'argon2id$v=19$m=4096,p=2,t=3',
        'scrypt$ln=18,r=8,p=1',
        'scrypt$ln=10,r=1,p=1',
        'scrypt$ln=10,r=8,p=256',
        'pbkdf2-sha256$i=2000000',
        'pbkdf2-sha256$i=1000',
    ]) {
        assert.equal(faultOf(good), undefined, good);
    }
    const start = cpuMs();
    for (const [bad, fault] of [
        ['argon2id$v=19$m=262145,t=1,p=1', /^must have m from/],
        ['argon2id$v=19$m=64,t=11,p=1', /^must have m from/],
        ['argon2id$v=19$m=64,t=1,p=9', /^must have m from/],
        ['argon2id$v=19$m=999,t=1,p=17', /^must have m from/],
        ['scrypt$ln=18,r=8,p=2', /^must have ln of/],
        ['scrypt$ln=9,r=8,p=1', /^must have ln of/],
        ['scrypt$ln=99,r=99,p=99', /^must have ln of/],
        ['scrypt$ln=14,r=0,p=1', /^must have ln of/],
        ['scrypt$ln=16,r=1,p=1', /^must have ln of at least 10 and less than 16 × r/],
        ['scrypt$ln=14,r=8,p=0', /^must have ln of/],
        ['pbkdf2-sha256$i=2000001', /^must have i from/],
        ['pbkdf2-sha256$i=999', /^must have i from/],
        ['pbkdf2-sha256$i=9999999999', /^must have i from/],
        ['argon2id$v=19$m=4294967295,t=1,p=255', /^must have m from/],
        ['scrypt$ln=10,r=8,p=257', /^must have ln of/],
        ['pbkdf2-sha512$i=1000', /^must be a PHC string/],
        ['argon2i$v=19$m=64,t=1,p=1', /^must be a PHC string/],
        ['2b$10', /^must be a PHC string/],
    ] as const) {
        assert.match(faultOf(bad) ?? '', fault, bad);
    }
    assert.ok(cpuMs() - start < 100);
    for (const [salt, tag] of [
        [7, 32],
        [49, 32],
        [16, 15],
        [16, 65],
    ] as const) {
        const hash = readPhc(`$pbkdf2-sha256$i=1000$${base64(randomBytes(salt))}$${base64(randomBytes(tag))}`);
        assert.deepEqual(hash, { fault: 'must have a salt of 8 to 48 bytes and a hash of 16 to 64 bytes.' });
    }
    assert.match(JSON.stringify(readPhc('$pbkdf2-sha256$i=1000')), /must be a PHC string/);
});

test('OpenSSL computes scrypt at each corner of what is accepted', () => {
    const ending = `$${'a'.repeat(22)}$${'b'.repeat(43)}`;
    for (const corner of [
        'ln=10,r=1,p=1',
        'ln=15,r=1,p=1',
        'ln=10,r=99,p=20',
        'ln=10,r=1,p=2048',
        'ln=10,r=2048,p=1',
        'ln=18,r=8,p=1',
    ]) {
        assert.equal(verifyPassword(`$scrypt$${corner}${ending}`, 'password'), false, corner);
    }
});

test('an imported Argon2id hash must have 512 KiB, and a stored one need not', () => {
    const phcOf = (memory: number) => `$argon2id$v=19$m=${memory},t=2,p=2$${'A'.repeat(22)}$${'A'.repeat(43)}`;
    assert.deepEqual(importedPhc(phcOf(511)), { fault: 'must have m of at least 512.' });
    for (const hash of [importedPhc(phcOf(512)), readPhc(phcOf(511))]) assert.ok('form' in hash);
    assert.match(JSON.stringify(importedPhc('$argon2id$')), /must be a PHC string/);
});

test('an imported hash must be written as a system writes it, and a stored one need not', async () => {
    const hashes = await hashesOf('correct horse');
    for (const phc of Object.values(hashes)) if (!phc.includes('m=256')) assert.ok('form' in importedPhc(phc), phc);
    const { scrypt = '', 'pbkdf2-sha256 with its length': pbkdf2 = '' } = hashes;
    for (const damaged of [
        scrypt.replace('r=4', 'r=04'),
        scrypt.replace(/.(?=\$[^$]*$)/, ''), // the salt lacks a character
        scrypt.slice(0, -1),
        `${scrypt.slice(0, -1)}B`, // the last bits are none of the hash
        pbkdf2.replace('l=32', 'l=64'),
    ]) {
        assert.ok('form' in readPhc(damaged), damaged);
        assert.match(JSON.stringify(importedPhc(damaged)), /must have numbers without leading zeros/, damaged);
    }
});
