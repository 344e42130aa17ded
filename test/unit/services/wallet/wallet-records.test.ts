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
import type { WalletRow } from '../../../../services/wallet/rows.ts';
import { generateKeyPair } from '../../../../workers/crypto/ed25519.ts';
import { newKey, seal, tagOf } from '../../../../workers/crypto/seal.ts';

const CANNOT_BE_OPENED = { kind: 'internal', detail: 'A record of this wallet cannot be opened.' };
const id = randomUUID();
const [dataKey, passwordKey] = [newKey(), newKey()];
const pair = generateKeyPair();
const profile = { name: 'diplomas', description: 'of mine' };

/** The row of a wallet, with some columns replaced. */
function rowOf(changes: Partial<WalletRow> = {}): WalletRow {
    const lock = { salt: Buffer.alloc(16), memory_kib: 64, passes: 1 };
    const sealedKey = sealDataKey(dataKey, passwordKey, id);
    const sealed = sealWallet({ pair, profile }, dataKey, id);
    return { id, account: null, created_at: '', ...lock, data_key: sealedKey, ...sealed, ...changes };
}

describe('the data key of a wallet', () => {
    it('opens under the key that it was sealed with, and under no other', () => {
        assert.deepEqual(openDataKey(rowOf(), passwordKey), dataKey);
        assert.equal(openDataKey(rowOf(), newKey()), undefined);
    });

    it('opens in no other wallet, and in no other column', () => {
        assert.equal(openDataKey(rowOf({ id: randomUUID() }), passwordKey), undefined);
        const elsewhere = seal(dataKey, passwordKey, { wallet: id, record: 'private_key' });
        assert.equal(openDataKey(rowOf({ data_key: elsewhere }), passwordKey), undefined);
    });
});

describe('a wallet', () => {
    it('opens with its key pair and its profile', () => {
        const opened = openWallet(rowOf(), dataKey);
        assert.deepEqual(new Uint8Array(opened.pair.seed), pair.seed);
        assert.deepEqual(opened.pair.public_key, pair.public_key);
        assert.deepEqual(opened.profile, profile);
    });

    const { private_key, profile: sealedProfile } = rowOf();
    const swapped: Array<[what: string, row: WalletRow]> = [
        ['with exchanged columns', rowOf({ private_key: sealedProfile, profile: private_key })],
        ['with its profile in the column of the key', rowOf({ private_key: sealedProfile })],
        ['with its key in the column of the profile', rowOf({ profile: private_key })],
        ['that was moved to another id', rowOf({ id: randomUUID() })],
        [
            'with an invalid private key',
            rowOf({ private_key: seal(Buffer.alloc(31), dataKey, { wallet: id, record: 'private_key' }) }),
        ],
    ];
    for (const [what, row] of swapped) {
        it(`${what} does not open`, () => {
            assert.throws(() => openWallet(row, dataKey), CANNOT_BE_OPENED);
        });
    }

    it('does not open under another key', () => {
        assert.throws(() => openWallet(rowOf(), newKey()), CANNOT_BE_OPENED);
    });
});

describe('stored records of wallets', () => {
    const sealed = (plain: Uint8Array, key: Uint8Array, record: string) => seal(plain, key, { wallet: id, record });

    it('are sealed under the names data_key, private_key and profile', () => {
        const row = rowOf({
            data_key: sealed(dataKey, passwordKey, 'data_key'),
            private_key: sealed(pair.seed, dataKey, 'private_key'),
            profile: sealed(SealedProfile.encode(profile).finish(), dataKey, 'profile'),
        });
        assert.deepEqual(openDataKey(row, passwordKey), dataKey);
        assert.deepEqual(openWallet(row, dataKey).profile, profile);
    });

    it('identify issuers by tags from HKDF-SHA-256 without a salt', async () => {
        const imported = await webcrypto.subtle.importKey('raw', new Uint8Array(dataKey), 'HKDF', false, [
            'deriveBits',
        ]);
        const info = new TextEncoder().encode('did:web:issuer.example');
        const bits = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info };
        const expected = Buffer.from(await webcrypto.subtle.deriveBits(bits, imported, 128));
        assert.deepEqual(tagOf('did:web:issuer.example', dataKey), expected);
    });
});

describe('a credential in a wallet', () => {
    const credential = randomUUID();
    const content = { credential: 'v4.public.x', credential_type: 'T', issuer: 'did:x:y', metadata: '{"a":1}' };
    const sealed = sealCredential(content, dataKey, { wallet: id, credential });
    const row = { credential, entry: randomUUID(), stored_at: '', sealed };

    it('opens in its own wallet and under its own id', () => {
        assert.deepEqual({ ...openCredential(row, dataKey, id) }, content);
    });

    it('opens neither in another wallet, nor as another credential, nor under another key', () => {
        assert.throws(() => openCredential(row, dataKey, randomUUID()), CANNOT_BE_OPENED);
        assert.throws(() => openCredential({ ...row, credential: randomUUID() }, dataKey, id), CANNOT_BE_OPENED);
        assert.throws(() => openCredential(row, newKey(), id), CANNOT_BE_OPENED);
    });
});
