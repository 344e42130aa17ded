import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from '../../../platform/postgres/db.ts';
import type { IssueCredentialRequest } from '../../../proto/gen/exchange/v1/exchange.ts';
import { encodeDidKey, encodeP256DidKey } from '../../../workers/crypto/did-key.ts';
import { newWalletKey, type WalletKey } from '../../support/wallets/wallet-keys.ts';
import { exchangeFixture } from './exchange.fixture.ts';
import { refusedWith, walletRequests } from './wallet-requests.ts';

const { service, issued, redeemed, clock, db } = await exchangeFixture();
const { ask, proofOf } = walletRequests({ service, clock });
const didJwk = ({ jwk }: WalletKey) => `did:jwk:${Buffer.from(JSON.stringify(jwk)).toString('base64url')}`;

/** It has a byte that is no UTF-8, in a member that nobody reads. */
const garbledDidJwk = ({ jwk }: WalletKey) => {
    const bytes = Buffer.from(JSON.stringify({ ...jwk, note: '?' }));
    bytes[bytes.lastIndexOf('?')] = 0xff;
    return `did:jwk:${bytes.toString('base64url')}`;
};
/** A did:jwk that is too long to be the subject of a credential. */
const longDidJwk = ({ jwk, ...key }: WalletKey) => didJwk({ ...key, jwk: { ...jwk, note: 'a'.repeat(800) } });

/** A P-256 key as SEC 1 compresses it. */
function compressed({ jwk: { x, y } }: WalletKey): Buffer {
    const [left, right] = [x, y].map((coordinate) => Buffer.from(String(coordinate), 'base64url')) as [Buffer, Buffer];
    return Buffer.concat([Buffer.of((right.at(-1) ?? 0) % 2 === 0 ? 2 : 3), left]);
}

describe('IssueCredential', () => {
    it('issues what was offered, for the key and the issuer of the offer', async () => {
        const offered = await redeemed();
        const key = newWalletKey();
        const proof = proofOf({ ...key, jwk: { ...key.jwk, kid: 'private', use: 'sig' } }, offered);
        const { credentials, notification_id } = await ask(offered, [proof]);
        assert.equal(notification_id, offered.offer_id);
        const { request } = issued.at(-1) ?? assert.fail();
        assert.equal(credentials.length, 1);
        assert.equal(request.claims, '{"given_name":"Ada"}');
        assert.equal(request.credential_type, 'https://club.example/membership');
        assert.equal(request.issuer_did, `did:web:credentials.example:base:issuers:${offered.issuer_id}`);
        const { crv, kty, x, y } = key.jwk;
        const written = JSON.parse(Buffer.from(request.subject_did.slice('did:jwk:'.length), 'base64url').toString());
        assert.deepEqual(written, { crv, kty, x, y });
        const { state, credential_ids } = await service.getOffer(offered, offered.context);
        assert.deepEqual([state, credential_ids.length], ['issued', 1]);
    });

    it('gets the same credential for the same key, and no other one for another key', async () => {
        const offered = await redeemed({ max_keys: 2 });
        const [one, two, three] = [newWalletKey(), newWalletKey('EdDSA'), newWalletKey()];
        const first = await ask(offered, [proofOf(one, offered)]);
        assert.deepEqual(await ask(offered, [proofOf(one, offered)]), first);
        await ask(offered, [proofOf(one, offered), proofOf(two, offered)]);
        await assert.rejects(ask(offered, [proofOf(three, offered)]), refusedWith('credential_request_denied'));
        const { credential_ids } = await service.getOffer(offered, offered.context);
        assert.equal(credential_ids.length, 2);
    });

    it('binds no more keys than it may, however many ask at once', async () => {
        for (let round = 0; round < 10; round++) {
            const offered = await redeemed({ max_keys: 3 });
            const asked = Array.from({ length: 20 }, () => ask(offered, [proofOf(newWalletKey('EdDSA'), offered)]));
            const answers = await Promise.allSettled(asked);
            assert.equal(answers.filter(({ status }) => status === 'fulfilled').length, 3);
            const { credential_ids } = await service.getOffer(offered, offered.context);
            assert.equal(credential_ids.length, 3);
        }
    });

    it('takes a key that a DID names, and calls the subject by it', async () => {
        const ed25519 = newWalletKey('EdDSA');
        const p256 = newWalletKey();
        const did = encodeDidKey(Buffer.from(String(ed25519.jwk['x']), 'base64url') as never);
        const p256Did = encodeP256DidKey(compressed(p256) as never);
        for (const [key, url] of [
            [p256, `${p256Did}#${p256Did.slice('did:key:'.length)}`],
            [p256, `${didJwk(p256)}#0`],
            [ed25519, `${did}#${did.slice('did:key:'.length)}`],
            [ed25519, `${didJwk(ed25519)}#0`],
        ] as const) {
            const offered = await redeemed();
            await ask(offered, [proofOf(key, offered, { jwk: undefined, kid: url })]);
            assert.equal(issued.at(-1)?.request.subject_did, url.split('#')[0]);
        }
    });

    it('refuses each proof that proves nothing here', async () => {
        const offered = await redeemed();
        const key = newWalletKey();
        const other = await redeemed();
        const now = clock.now / 1_000;
        const timed = (times: object): [string, string] => [proofOf(key, offered, {}, times), 'invalid_proof'];
        const wrong: Array<[string, string]> = [
            ['x', 'invalid_proof'],
            [proofOf(key, offered, { typ: 'JWT' }), 'invalid_proof'],
            [proofOf(key, offered, { alg: 'none' }), 'invalid_proof'],
            [proofOf(key, offered, { alg: 'HS256' }), 'invalid_proof'],
            [proofOf(key, offered, { alg: 'EdDSA' }), 'invalid_proof'],
            [proofOf(key, offered, { crit: ['b64'] }), 'invalid_proof'],
            [proofOf(key, offered, { jwk: undefined }), 'invalid_proof'],
            [proofOf(key, offered, { kid: `${didJwk(key)}#0` }), 'invalid_proof'],
            [proofOf(key, offered, { jwk: undefined, kid: `${didJwk(key)}#1` }), 'invalid_proof'],
            [proofOf(key, offered, { jwk: undefined, kid: 'did:web:wallet.example#0' }), 'invalid_proof'],
            [proofOf(key, offered, { jwk: undefined, kid: `${longDidJwk(key)}#0` }), 'invalid_proof'],
            [proofOf(key, offered, { jwk: undefined, kid: `${garbledDidJwk(key)}#0` }), 'invalid_proof'],
            [proofOf(key, offered, { x5c: ['MIIB'] }), 'invalid_proof'],
            [proofOf(key, offered, { jwk: key.privateKey.export({ format: 'jwk' }) }), 'invalid_proof'],
            [proofOf(key, offered, { jwk: { ...key.jwk, x: key.jwk['y'] } }), 'invalid_proof'],
            [proofOf(key, offered, { jwk: newWalletKey().jwk }), 'invalid_proof'],
            [proofOf(newWalletKey('EdDSA'), offered, { jwk: newWalletKey('EdDSA').jwk }), 'invalid_proof'],
            [proofOf(key, offered, {}, { aud: other.identifier }), 'invalid_proof'],
            [proofOf(key, offered, {}, { aud: [offered.identifier] }), 'invalid_proof'],
            [proofOf(key, offered, {}, { nonce: undefined }), 'invalid_proof'],
            [proofOf(key, offered, {}, { iat: undefined }), 'invalid_proof'],
            ...[0, now - 301, now + 61, 1e308].map((iat) => timed({ iat })),
            ...[{ exp: now }, { exp: '9' }, { nbf: now + 61 }, { nbf: null }].map(timed),
            [proofOf(key, offered, {}, { nonce: other.c_nonce }), 'invalid_nonce'],
            [proofOf(key, offered, {}, { nonce: 'made up' }), 'invalid_nonce'],
        ];
        for (const [proof, name] of wrong) await assert.rejects(ask(offered, [proof]), refusedWith(name));
        const just = { iat: now - 300, exp: now + 60, nbf: now + 60 };
        await ask(offered, [proofOf(key, offered, {}, just)]); // none of these has bound the offer
    });

    it('refuses requests for something else', async () => {
        const offered = await redeemed();
        const proofs = [proofOf(newWalletKey(), offered)];
        const cases: Array<[Partial<IssueCredentialRequest>, string]> = [
            [{ configuration_id: undefined }, 'invalid_credential_request'],
            [{ credential_identifier: 'a' }, 'invalid_credential_request'],
            [{ configuration_id: undefined, credential_identifier: 'a' }, 'unknown_credential_identifier'],
            [{ configuration_id: 'another' }, 'unknown_credential_configuration'],
            [{ encrypted: true }, 'invalid_encryption_parameters'],
            [{ proofs: [] }, 'invalid_proof'],
            [{ proofs: [...proofs, ...proofs] }, 'invalid_proof'],
            [{ access_token: offered.code }, 'invalid_token'],
            [{ issuer_id: (await redeemed()).issuer_id }, 'invalid_token'],
            [{ dpop: 'x' }, 'invalid_token'],
        ];
        for (const [more, name] of cases) await assert.rejects(ask(offered, proofs, more), refusedWith(name));
    });

    it('ends the nonce and the token after five minutes', async () => {
        const offered = await redeemed();
        const key = newWalletKey();
        const proofs = [proofOf(key, offered)];
        clock.now += 299_000;
        const late = await redeemed();
        await ask(offered, proofs);
        clock.now += 1_000;
        await assert.rejects(ask(offered, proofs), refusedWith('invalid_token'));
        const stale = proofOf(key, { ...late, c_nonce: offered.c_nonce });
        await assert.rejects(ask(late, [stale]), refusedWith('invalid_nonce'));
    });
});

it('the database has no claim, secret, code or token of an offer', async () => {
    const offered = await redeemed();
    const [row] = await db.rows(sql.unsafe`SELECT string_agg(offers::text, '') AS text FROM exchange.offers AS offers`);
    const { text } = row as { text: string };
    assert.ok(text.includes(offered.offer_id));
    const spellings = [offered.secret, offered.code, offered.access_token].flatMap((secret) => [
        secret,
        Buffer.from(secret).toString('hex'),
        Buffer.from(secret, 'base64url').toString('hex'),
    ]);
    for (const secret of ['given_name', Buffer.from('given_name').toString('hex'), ...spellings]) {
        assert.ok(!text.includes(secret), `${secret.slice(0, 8)}…`);
    }
});
