import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { type Call, expectError, expectOk } from '../support/client.ts';
import { newAccount, newDid, newKey } from '../support/world.ts';

const account = await newAccount();
const { api_key: token } = await newKey(account);
const known = await newDid(token);

function create(body?: unknown): Call {
    return { method: 'POST', path: '/v1/did', token, body };
}

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** Base58btc, worked out by itself: one large number in base 58, and a `1` for each leading zero byte. */
function base58(bytes: Uint8Array): string {
    let rest = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
    let text = '';
    for (; rest > 0n; rest /= 58n) text = `${ALPHABET[Number(rest % 58n)]}${text}`;
    return '1'.repeat(bytes.findIndex((byte) => byte !== 0)) + text;
}

function didOf(key: Uint8Array, multicodec = [0xed, 0x01]): string {
    return `did:key:z${base58(Uint8Array.from([...multicodec, ...key]))}`;
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
            const [public_key, private_key] = [data.public_key, data.private_key].map((text) =>
                Buffer.from(text, 'base64'),
            );
            assert.deepEqual(Object.keys(data), ['did', 'public_key', 'private_key']);
            assert.equal(data.public_key, public_key?.toString('base64'));
            assert.equal(data.private_key, private_key?.toString('base64'));
            assert.equal(public_key?.length, 32);
            assert.equal(private_key?.length, 64);
            assert.deepEqual(private_key?.subarray(32), public_key);
            assert.equal(data.did, didOf(public_key as Buffer));
            assert.match(data.did, /^did:key:z6Mk[1-9A-HJ-NP-Za-km-z]{44}$/);
        });
    }

    it('makes a new one each time', async () => {
        const dids = await Promise.all(Array.from({ length: 50 }, () => expectOk(201, create())));
        assert.equal(new Set(dids.map(({ did }) => did)).size, 50);
        assert.equal(new Set(dids.map(({ private_key }) => private_key)).size, 50);
    });

    it('takes a public key in all four spellings of base64, and answers the padded standard one', async () => {
        const key = Buffer.from(`fbefbe${randomBytes(29).toString('hex')}`, 'hex'); // begins with `++++`
        const standard = key.toString('base64');
        const url = key.toString('base64url');
        assert.notEqual(standard.slice(0, 4), url.slice(0, 4));
        for (const public_key of [standard, url, standard.slice(0, -1), `${url}=`]) {
            assert.deepEqual(await expectOk(201, create({ public_key })), { did: didOf(key), public_key: standard });
        }
    });

    it('keeps a registered DID, whoever registers it how often', async () => {
        const public_key = randomBytes(32).toString('base64');
        const other = (await newKey(await newAccount())).api_key;
        const { did } = await expectOk(201, create({ public_key }));
        assert.equal((await expectOk(201, { ...create({ public_key }), token: other })).did, did);
        for (const gateway of [0, 1]) {
            assert.deepEqual(await expectOk(200, { path: `/v1/did/${did}`, token: other, gateway }), {
                did,
                public_key,
            });
        }
    });

    it('takes one public key fifty times at once', async () => {
        const public_key = randomBytes(32).toString('base64');
        const calls = Array.from({ length: 50 }, (_, index) => ({ ...create({ public_key }), gateway: index % 2 }));
        const dids = await Promise.all(calls.map((call) => expectOk(201, call)));
        assert.equal(new Set(dids.map(({ did }) => did)).size, 1);
    });

    const key = randomBytes(32);
    const standard = key.toString('base64');
    const unfit: Array<[what: string, public_key: unknown]> = [
        ['an empty text', ''],
        ['a number', 5],
        ['true', true],
        ['an array', [standard]],
        ['an object', { public_key: standard }],
        ['no base64', 'not base64!!'],
        ['31 bytes', key.subarray(1).toString('base64')],
        ['33 bytes', randomBytes(33).toString('base64')],
        ['64 bytes', randomBytes(64).toString('base64')],
        ['hexadecimal', key.toString('hex')],
        ['loose last bits', `${standard.slice(0, -2)}${nextCharacter(standard.at(-2) ?? '')}=`],
        ['padding twice', `${standard}=`],
        ['padding in the middle', `=${standard.slice(1)}`],
        ['a blank before', ` ${standard}`],
        ['a line end after', `${standard}\n`],
        ['a blank inside', `${standard.slice(0, 20)} ${standard.slice(20)}`],
        ['a multibase key', known.did.slice('did:key:'.length)],
        ['10,000 characters', 'A'.repeat(10_000)],
        ['Unicode', `é${standard.slice(1)}`],
    ];
    for (const [what, public_key] of unfit) {
        it(`refuses ${what} as a public key`, async () => {
            assert.match((await expectError(400, create({ public_key }))).body.error, /public_key/);
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
            it(`refuses the point of small order ${y.slice(0, 8)}…, sign ${sign >> 7}`, async () => {
                const bytes = Buffer.from(y, 'hex');
                bytes.writeUInt8(bytes.readUInt8(31) | sign, 31);
                await expectError(400, create({ public_key: bytes.toString('base64') }));
                await expectError(404, { path: `/v1/did/${didOf(bytes)}`, token });
            });
        }
    }

    for (const hex of [`${'ff'.repeat(32)}`, `f0${'ff'.repeat(30)}7f`]) {
        it(`refuses the second encoding ${hex.slice(0, 4)}…${hex.slice(-2)} of a point`, async () => {
            const bytes = Buffer.from(hex, 'hex');
            await expectError(400, create({ public_key: bytes.toString('base64') }));
            await expectError(404, { path: `/v1/did/${didOf(bytes)}`, token });
        });
    }

    it('takes other 32 bytes as they are, points of the curve or not', async () => {
        for (const hex of [`02${'00'.repeat(31)}`, `${'ff'.repeat(31)}7e`]) {
            const bytes = Buffer.from(hex, 'hex');
            const { did } = await expectOk(201, create({ public_key: bytes.toString('base64') }));
            assert.equal(did, didOf(bytes));
        }
    });
});

describe('GET /v1/did/{did} and its document', () => {
    const get = (did: string, more = ''): Call => ({ path: `/v1/did/${encodeURIComponent(did)}${more}`, token });

    it('resolve for every account, with a key or a session, on every gateway', async () => {
        const unknownCaller = await newAccount();
        for (const gateway of [0, 1]) {
            for (const by of [token, account.token, unknownCaller.token]) {
                const { did, public_key } = known;
                assert.deepEqual(await expectOk(200, { ...get(did), token: by, gateway }), { did, public_key });
            }
        }
    });

    it('the document is that of did:key with the Ed25519 suite of 2020', async () => {
        const { did } = known;
        const multibase = did.slice('did:key:'.length);
        const method = `${did}#${multibase}`;
        assert.deepEqual((await expectOk(200, get(did, '/document'))).document, {
            '@context': ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/suites/ed25519-2020/v1'],
            id: did,
            verificationMethod: [
                { id: method, type: 'Ed25519VerificationKey2020', controller: did, publicKeyMultibase: multibase },
            ],
            authentication: [method],
            assertionMethod: [method],
            capabilityInvocation: [method],
            capabilityDelegation: [method],
        });
    });

    it('a well-formed DID that was never seen is unknown, unless it is to be derived', async () => {
        const key = randomBytes(32);
        const did = didOf(key);
        for (const query of ['', '?derive=false']) await expectError(404, get(did, query));
        await expectError(404, get(did, '/document'));
        const public_key = key.toString('base64');
        assert.deepEqual(await expectOk(200, get(did, '?derive=true')), { did, public_key });
        assert.equal((await expectOk(200, get(did, '/document?derive=true'))).document.id, did);
        await expectError(404, get(did));
        for (const query of ['?derive=1', '?derive=', '?derive=TRUE', '?derive=true&derive=true', '?derive=%zz']) {
            await expectError(400, get(did, query));
        }
    });

    const { did } = known;
    const malformed: string[] = [
        'did:key:',
        'did:key:z',
        'did:key:z6Mk',
        'z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK',
        did.slice(0, -1),
        `${did}1`,
        `${did}z`,
        did.replace('did:key:z', 'did:key:z1').slice(0, 56),
        did.replace('did:', 'DID:'),
        did.replace(':key:', ':KEY:'),
        did.replace('key:', 'key:1:'),
        did.replace('key:', 'key:1.1:'),
        did.replace('did:key:z', 'did:key:u'),
        did.replace('did:key:z', 'did:key:Z'),
        did.replace('z6Mk', 'Z6Mk'),
        ...['0', 'O', 'I', 'l', 'é', ' ', '\0'].map((character) => did.slice(0, -1) + character),
        ` ${did}`,
        `${did}\n`,
        `${did}#${did.slice(8)}`,
        `${did}?service=x`,
        `${did};v=1`,
        `${did}/path`,
        'did:web:example.com',
        'did:ethr:0x00',
        'x'.repeat(10_000),
        `did:key:z6Mk${'1'.repeat(10_000)}`,
        didOf(randomBytes(32), [0xec, 0x01]), // X25519
        didOf(randomBytes(33), [0xe7, 0x01]), // secp256k1
        didOf(randomBytes(33), [0x80, 0x24]), // P-256
        didOf(randomBytes(32), [0xeb, 0x01]), // BLS12-381 G2, cut to this length
        didOf(randomBytes(32), [0xed]), // the multicodec cut short
        didOf(randomBytes(31)),
        didOf(randomBytes(33)),
        'did:key:zQ3shokFTS3brHcDQrn82RUDfCZESWL1ZdCEJwekUDPQiYBme',
        'did:key:z6LSbysY2xFMRpGMhb7tFTLMpeuPRaqaWM1yECx2AtzE3KCc',
        'did:key:zDnaerDaTF5BXEavCrfRZEk316dpbLsfPDZ3WJ5hRTPFU2169',
    ];
    for (const text of malformed) {
        it(`refuse ${JSON.stringify(text.slice(0, 70))}`, async () => {
            for (const more of ['', '/document', '?derive=true']) {
                const { body } = await expectError(400, get(text, more));
                assert.ok(!body.error.includes(text));
            }
        });
    }
});

/** The character after this one in the base64 alphabet: the same leading bits, for a character of four loose ones. */
function nextCharacter(character: string): string {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
    return alphabet[alphabet.indexOf(character) + 1] as string; // four loose bits are 0 in it
}
