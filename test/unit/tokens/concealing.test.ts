import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SDJwtInstance } from '@sd-jwt/core';
import { ES256, generateSalt, digest as hasher } from '@sd-jwt/crypto-nodejs';
import fc from 'fast-check';
import { MAX_DISCLOSURES } from '../../../proto/limits.ts';
import { conceal, concealFault } from '../../../tokens/concealing.ts';
import { jsonObjectOf, splitJws } from '../../../tokens/jws.ts';
import { processDisclosures, splitSdJwt } from '../../../tokens/sd-jwt.ts';
import { NODE } from './sd-jwts.ts';

type Json = Record<string, unknown>;

const { privateKey, publicKey } = await ES256.generateKeyPair();
const signer = await ES256.getSigner(privateKey);
const library = new SDJwtInstance<Json>({
    signer,
    signAlg: ES256.alg,
    verifier: await ES256.getVerifier(publicKey),
    hasher,
    hashAlg: 'sha-256',
    saltGenerator: generateSalt,
});

const RUNS = { numRuns: 60 };
/** Names, and what pointers escape in them. The library loses members without a name. */
const names = fc.constantFrom('a', 'b', 'c/d', '~', '~1', 'é', 'a b', '0');
const { claims } = fc.letrec<{ value: unknown; claims: Json }>((tie) => ({
    value: fc.oneof(
        { depthSize: 'small' },
        fc.oneof(fc.string(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean(), fc.constant(null)),
        fc.array(tie('value'), { maxLength: 4 }),
        tie('claims'),
    ),
    claims: fc.dictionary(names, tie('value'), { maxKeys: 5, noNullPrototype: true }),
}));

/** All pointers into a value. */
function pointersInto(value: unknown, pointer = ''): string[] {
    if (typeof value !== 'object' || value === null) return [];
    return Object.entries(value).flatMap(([name, member]) => {
        const own = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
        return [own, ...pointersInto(member, own)];
    });
}

const cases = claims.chain((value) =>
    fc.record({ value: fc.constant(value), disclosable: fc.subarray(pointersInto(value)) }),
);
const concealed = (value: Json, disclosable?: readonly string[]) => {
    const result = conceal(value, disclosable, NODE);
    assert.ok(!('fault' in result));
    return result;
};
const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
/** What JSON keeps of a value: no negative zero. */
const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('claims that were made disclosable', () => {
    it('are there again with all disclosures, for us and for another library', async () => {
        await fc.assert(
            fc.asyncProperty(cases, async ({ value, disclosable }) => {
                const { payload, disclosures } = concealed(value, disclosable);
                assert.equal(disclosures.length, disclosable.length);
                const ours = processDisclosures(payload, disclosures, NODE);
                assert.ok(!('fault' in ours));
                assert.deepEqual(asJson(ours.payload), asJson(value));
                assert.deepEqual(new Set(ours.disclosed), new Set(disclosable));

                const signed = `${encoded({ alg: 'ES256', typ: 'dc+sd-jwt' })}.${encoded(payload)}`;
                const token = [`${signed}.${await signer(signed)}`, ...disclosures, ''].join('~');
                const theirs = await library.verify(token);
                assert.deepEqual(asJson(theirs.payload), asJson(value));
            }),
            RUNS,
        );
    });

    it('by another library are read here', async () => {
        await fc.assert(
            fc.asyncProperty(claims, async (value) => {
                const frame = frameOf(value);
                const token = await library.issue(value, frame as never); // any members may be named
                const parts = splitSdJwt(token);
                assert.ok(parts);
                const jws = splitJws(parts.jwt, NODE);
                assert.ok(!('fault' in jws));
                const payload = jsonObjectOf(jws.payload, NODE);
                assert.ok(payload);
                const result = processDisclosures(payload, parts.disclosures, NODE);
                assert.ok(!('fault' in result));
                assert.deepEqual(asJson(result.payload), asJson(value));
            }),
            RUNS,
        );
    });

    it('are hidden: neither their names nor their values nor their order is in the payload', () => {
        const value = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`name-${i}`, `value-${i}`]));
        const { payload, disclosures } = concealed(value);
        const { _sd, _sd_alg, ...rest } = payload;
        assert.deepEqual(rest, {});
        assert.equal(_sd_alg, 'sha-256');
        assert.ok(Array.isArray(_sd));
        assert.deepEqual(_sd, disclosures.map(NODE.digest).sort());
        const one = concealed({ 'name-0': 'value-0' });
        assert.notDeepEqual(one.disclosures, concealed({ 'name-0': 'value-0' }).disclosures);
    });

    it('have salts of 128 bits, from one call', () => {
        const asked: number[] = [];
        const randomBytes = (count: number) => {
            asked.push(count);
            return Uint8Array.from({ length: count }, (_, i) => i);
        };
        const result = conceal({ a: 1, b: [1, 2] }, ['/a', '/b/1', '/b'], { ...NODE, randomBytes });
        assert.ok(!('fault' in result));
        assert.deepEqual(asked, [48]);
        const salts = result.disclosures.map((text) => JSON.parse(Buffer.from(text, 'base64url').toString())[0]);
        assert.deepEqual(
            salts.map((salt) => Buffer.from(salt, 'base64url').length),
            [16, 16, 16],
        );
        assert.equal(new Set(salts).size, 3);
    });

    const value = { a: { b: [1, { c: 2 }] }, 'd/e': 3 };
    const bad = [
        '',
        'a',
        '/x',
        '/a/x',
        '/a/b/2',
        '/a/b/-',
        '/a/b/01',
        '/a/b/length',
        '/a/b/0/x',
        '/d/e',
        '/d~2e',
        '/a/',
    ];
    for (const pointer of [...bad, '/__proto__', '/toString', `/${'x'.repeat(2_000)}`]) {
        it(`are refused with the pointer ${pointer.slice(0, 20)}`, () => {
            const result = conceal(value, ['/a', pointer], NODE);
            assert.deepEqual(result, { fault: 'disclosable.1 is not a JSON pointer to a claim.' });
        });
    }

    it('are refused if a pointer stands twice, if there are too many, and if a name is reserved', () => {
        assert.deepEqual(conceal(value, ['/a', '/a'], NODE), {
            fault: 'disclosable.1 names a claim that another one names.',
        });
        const many = Object.fromEntries(Array.from({ length: MAX_DISCLOSURES + 1 }, (_, i) => [`k${i}`, i]));
        assert.deepEqual(conceal(many, Object.keys(many), NODE), {
            fault: 'disclosable may name at most 1000 claims.',
        });
        for (const name of ['_sd', '_sd_alg', '...']) {
            const result = conceal({ a: [{ [name]: 1 }] }, [], NODE);
            assert.deepEqual(result, { fault: 'claims may not have members named _sd, _sd_alg or "...".' });
        }
    });
});

/** Makes every second member and item of a value disclosable, in the form in which the library wants to know it. */
function frameOf(value: unknown): Json {
    const entries = Object.entries(value as Json);
    const inside = entries.filter(([, member]) => typeof member === 'object' && member !== null);
    const names = entries.flatMap(([name], i) => (i % 2 === 0 ? [Array.isArray(value) ? Number(name) : name] : []));
    return { ...Object.fromEntries(inside.map(([name, member]) => [name, frameOf(member)])), _sd: names };
}

it('names the claims in a fault if nobody has named what is disclosable', () => {
    const many = Object.fromEntries(Array.from({ length: 1_001 }, (_, i) => [`claim${i}`, 0]));
    assert.match(concealFault(many, undefined) ?? '', /^claims may have at most 1000 members/);
    assert.match(concealFault({ ['a'.repeat(2_000)]: 0 }, undefined) ?? '', /^The name of a claim may have at most/);
    assert.match(concealFault(many, Object.keys(many)) ?? '', /^disclosable may name at most/);
});
