import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { type Call, expectError, expectOk } from '../support/client.ts';
import { aKey, newAccount, newDid, newKey } from '../support/world.ts';
import { didOf } from './did.fixture.ts';

const token = await aKey();
const known = await newDid(token);

function create(body?: unknown): Call {
    return { method: 'POST', path: '/v1/did', token, body };
}

describe('POST /v1/did', () => {
    for (const [what, body] of [
        ['no body', undefined],
        ['an empty object', {}],
        ['null', { public_key: null }],
        ['unknown fields', { did: 'did:key:z6Mkx', private_key: 'x', user_id: 1 }],
    ] as const) {
        it(`makes a key pair for ${what}`, async () => {
            const data = await expectOk(201, create(body));
            const [publicKey, privateKey] = [data.public_key, data.private_key].map((text) =>
                Buffer.from(text, 'base64'),
            );
            assert.deepEqual(Object.keys(data), ['did', 'public_key', 'private_key']);
            assert.equal(data.public_key, publicKey?.toString('base64'));
            assert.equal(data.private_key, privateKey?.toString('base64'));
            assert.equal(publicKey?.length, 32);
            assert.equal(privateKey?.length, 64);
            assert.deepEqual(privateKey?.subarray(32), publicKey);
            assert.equal(data.did, didOf(publicKey as Buffer));
            assert.match(data.did, /^did:key:z6Mk[1-9A-HJ-NP-Za-km-z]{44}$/);
        });
    }

    it('makes a new key pair each time', async () => {
        const dids = await Promise.all(Array.from({ length: 50 }, () => expectOk(201, create())));
        assert.equal(new Set(dids.map(({ did }) => did)).size, 50);
        assert.equal(new Set(dids.map(({ private_key }) => private_key)).size, 50);
    });

    it('accepts a public key in four forms of base64, and answers with the padded standard form', async () => {
        const key = Buffer.from(`fbefbe${randomBytes(29).toString('hex')}`, 'hex'); // begins with `++++`
        const standard = key.toString('base64');
        const url = key.toString('base64url');
        assert.notEqual(standard.slice(0, 4), url.slice(0, 4));
        for (const publicKey of [standard, url, standard.slice(0, -1), `${url}=`]) {
            assert.deepEqual(await expectOk(201, create({ public_key: publicKey })), {
                did: didOf(key),
                public_key: standard,
            });
        }
    });

    it('returns the same DID when another account registers its public key again', async () => {
        const publicKey = randomBytes(32).toString('base64');
        const other = (await newKey(await newAccount())).api_key;
        const { did } = await expectOk(201, create({ public_key: publicKey }));
        assert.equal((await expectOk(201, { ...create({ public_key: publicKey }), token: other })).did, did);
        for (const gateway of [0, 1]) {
            assert.deepEqual(await expectOk(200, { path: `/v1/did/${did}`, token: other, gateway }), {
                did,
                public_key: publicKey,
            });
        }
    });

    it('accepts one public key fifty times at once', async () => {
        const publicKey = randomBytes(32).toString('base64');
        const calls = Array.from({ length: 50 }, (_, index) => ({
            ...create({ public_key: publicKey }),
            gateway: index % 2,
        }));
        const dids = await Promise.all(calls.map((call) => expectOk(201, call)));
        assert.equal(new Set(dids.map(({ did }) => did)).size, 1);
    });

    const key = randomBytes(32);
    const standard = key.toString('base64');
    const unfit: Array<[what: string, public_key: unknown]> = [
        ['an empty string', ''],
        ['a number', 5],
        ['true', true],
        ['an array', [standard]],
        ['an object', { public_key: standard }],
        ['not base64', 'not base64!!'],
        ['31 bytes long', key.subarray(1).toString('base64')],
        ['33 bytes long', randomBytes(33).toString('base64')],
        ['64 bytes long', randomBytes(64).toString('base64')],
        ['in hexadecimal', key.toString('hex')],
        ['in base64 whose unused bits are not 0', `${standard.slice(0, -2)}${nextCharacter(standard.at(-2) ?? '')}=`],
        ['padded twice', `${standard}=`],
        ['padded at its start', `=${standard.slice(1)}`],
        ['preceded by a blank', ` ${standard}`],
        ['followed by a line end', `${standard}\n`],
        ['interrupted by a blank', `${standard.slice(0, 20)} ${standard.slice(20)}`],
        ['a multibase key', known.did.slice('did:key:'.length)],
        ['10,000 characters long', 'A'.repeat(10_000)],
        ['not ASCII', `é${standard.slice(1)}`],
    ];
    for (const [what, publicKey] of unfit) {
        it(`refuses a public key that is ${what}`, async () => {
            assert.match((await expectError(400, create({ public_key: publicKey }))).body.error, /public_key/);
        });
    }

    for (const y of [
        '0000000000000000000000000000000000000000000000000000000000000000',
        '0100000000000000000000000000000000000000000000000000000000000000',
        '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
        'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
        'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
        'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
        'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    ]) {
        for (const sign of [0, 0x80]) {
            it(`refuses the small-order point ${y.slice(0, 8)}…, sign ${sign >> 7}`, async () => {
                const bytes = Buffer.from(y, 'hex');
                bytes.writeUInt8(bytes.readUInt8(31) | sign, 31);
                await expectError(400, create({ public_key: bytes.toString('base64') }));
                await expectError(404, { path: `/v1/did/${didOf(bytes)}`, token });
            });
        }
    }

    for (const hex of [`${'ff'.repeat(32)}`, `f0${'ff'.repeat(30)}7f`]) {
        it(`refuses the non-canonical encoding ${hex.slice(0, 4)}…${hex.slice(-2)} of a point`, async () => {
            const bytes = Buffer.from(hex, 'hex');
            await expectError(400, create({ public_key: bytes.toString('base64') }));
            await expectError(404, { path: `/v1/did/${didOf(bytes)}`, token });
        });
    }

    it('accepts any other 32 bytes, whether they are a point of the curve or not', async () => {
        for (const hex of [`02${'00'.repeat(31)}`, `${'ff'.repeat(31)}7e`]) {
            const bytes = Buffer.from(hex, 'hex');
            const { did } = await expectOk(201, create({ public_key: bytes.toString('base64') }));
            assert.equal(did, didOf(bytes));
        }
    });
});

/** Returns the next character of the base64 alphabet. It differs only in the two unused bits of the last character. */
function nextCharacter(character: string): string {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
    return alphabet[alphabet.indexOf(character) + 1] as string; // there is one: the two unused bits are 0
}
