import assert from 'node:assert/strict';
import { randomUUID, webcrypto } from 'node:crypto';
import { describe, it } from 'node:test';
import { SealedProfile } from '../../../../proto/gen/wallet/v1/wallet.ts';
import {
    openCredential,
    openDataKey,
    openWallet,
    sealCredential,
    sealDataKey,
    sealWallet,
} from '../../../../services/wallet/records.ts';
import type { WalletRow } from '../../../../services/wallet/store.ts';
import { generateKeyPair } from '../../../../workers/crypto/ed25519.ts';
import { newKey, seal, tagOf } from '../../../../workers/crypto/seal.ts';

const CANNOT_BE_OPENED = { kind: 'internal', detail: 'A record of this wallet cannot be opened.' };
const id = randomUUID();
const [data_key, password_key] = [newKey(), newKey()];
const pair = generateKeyPair();
const profile = { name: 'diplomas', description: 'of mine' };

/** The row of a wallet, with some columns replaced. */
function rowOf(changes: Partial<WalletRow> = {}): WalletRow {
    const lock = { salt: Buffer.alloc(16), memory_kib: 64, passes: 1 };
    const sealed_key = sealDataKey(data_key, password_key, id);
    const sealed = sealWallet({ pair, profile }, data_key, id);
    return { id, account: null, created_at: '', ...lock, data_key: sealed_key, ...sealed, ...changes };
}

describe('the data key of a wallet', () => {
    it('opens under the key that it was sealed with, and under no other', () => {
        assert.deepEqual(openDataKey(rowOf(), password_key), data_key);
        assert.equal(openDataKey(rowOf(), newKey()), undefined);
    });

    it('opens in no other wallet, and in no other column', () => {
        assert.equal(openDataKey(rowOf({ id: randomUUID() }), password_key), undefined);
        const elsewhere = seal(data_key, password_key, { wallet: id, record: 'private_key' });
        assert.equal(openDataKey(rowOf({ data_key: elsewhere }), password_key), undefined);
    });
});

describe('a wallet', () => {
    it('opens with its key pair and what its owner calls it', () => {
        const opened = openWallet(rowOf(), data_key);
        assert.deepEqual(new Uint8Array(opened.pair.seed), pair.seed);
        assert.deepEqual(opened.pair.public_key, pair.public_key);
        assert.deepEqual(opened.profile, profile);
    });

    const { private_key, profile: sealed_profile } = rowOf();
    const swapped: Array<[what: string, row: WalletRow]> = [
        ['whose columns were exchanged', rowOf({ private_key: sealed_profile, profile: private_key })],
        ['whose profile stands in the place of the key', rowOf({ private_key: sealed_profile })],
        ['whose key stands in the place of the profile', rowOf({ profile: private_key })],
        ['that was moved to another id', rowOf({ id: randomUUID() })],
        [
            'whose private key is none',
            rowOf({ private_key: seal(Buffer.alloc(31), data_key, { wallet: id, record: 'private_key' }) }),
        ],
    ];
    for (const [what, row] of swapped) {
        it(`${what} does not open`, () => {
            assert.throws(() => openWallet(row, data_key), CANNOT_BE_OPENED);
        });
    }

    it('does not open under another key', () => {
        assert.throws(() => openWallet(rowOf(), newKey()), CANNOT_BE_OPENED);
    });
});

describe('the records of wallets that are stored', () => {
    const sealed = (plain: Uint8Array, key: Uint8Array, record: string) => seal(plain, key, { wallet: id, record });

    it('go by the names data_key, private_key and profile', () => {
        const row = rowOf({
            data_key: sealed(data_key, password_key, 'data_key'),
            private_key: sealed(pair.seed, data_key, 'private_key'),
            profile: sealed(SealedProfile.encode(profile).finish(), data_key, 'profile'),
        });
        assert.deepEqual(openDataKey(row, password_key), data_key);
        assert.deepEqual(openWallet(row, data_key).profile, profile);
    });

    it('tell issuers apart by HKDF-SHA-256 without a salt', async () => {
        const imported = await webcrypto.subtle.importKey('raw', new Uint8Array(data_key), 'HKDF', false, [
            'deriveBits',
        ]);
        const info = new TextEncoder().encode('did:web:issuer.example');
        const bits = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info };
        const expected = Buffer.from(await webcrypto.subtle.deriveBits(bits, imported, 128));
        assert.deepEqual(tagOf('did:web:issuer.example', data_key), expected);
    });
});

describe('a credential in a wallet', () => {
    const credential = randomUUID();
    const content = { credential: 'v4.public.x', credential_type: 'T', issuer: 'did:x:y', metadata: '{"a":1}' };
    const sealed = sealCredential(content, data_key, { wallet: id, credential });
    const row = { credential, entry: randomUUID(), stored_at: '', sealed };

    it('opens where it was put', () => {
        assert.deepEqual({ ...openCredential(row, data_key, id) }, content);
    });

    it('opens neither in another wallet, nor as another credential, nor under another key', () => {
        assert.throws(() => openCredential(row, data_key, randomUUID()), CANNOT_BE_OPENED);
        assert.throws(() => openCredential({ ...row, credential: randomUUID() }, data_key, id), CANNOT_BE_OPENED);
        assert.throws(() => openCredential(row, newKey(), id), CANNOT_BE_OPENED);
    });
});
