import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { promisify } from 'node:util';
import { anOffer } from '../../test/e2e/exchange/exchange-examples.ts';
import { service } from '../../test/e2e/support/client.ts';
import { until } from '../../test/support/until.ts';
import { type Binding, credoWallet } from './credo-wallet.ts';
import { takePlainly } from './plain-wallet.ts';

setDefaultCACertificates([...getCACertificates(), process.env['FRONT_CA'] ?? '']);

const run = promisify(execFile);
/** Has the certificate authority for programs that are started. */
const folder = mkdtempSync(join(tmpdir(), 'wallets-'));
after(() => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, 'ca.pem'), process.env['FRONT_CA'] ?? '');

const CLAIMS = { given_name: 'Ada', address: { locality: 'London' }, sports: ['chess', 'rowing'] };
const DAY_MS = 86_400_000;
const expirationDate = new Date(Date.now() + DAY_MS).toISOString();

const offered = (more: object = {}, configured: object = {}) => anOffer({ claims: CLAIMS, ...more }, configured);

describe('Credo', async () => {
    const wallet = await credoWallet();
    after(() => wallet.close());

    for (const binding of ['jwk', 'did:key', 'did:jwk'] satisfies Binding[]) {
        for (const curve of ['P-256', 'Ed25519'] as const) {
            it(`takes, verifies and stores a credential for a key of ${curve} that it names by ${binding}`, async () => {
                const offer = await offered();
                const [taken, ...others] = await wallet.take(offer.offer_uri, { binding, curve });
                assert.deepEqual(others, []);
                assert.partialDeepStrictEqual(taken?.claims, CLAIMS);
                const { valid, issuer } = await service
                    .as({ token: offer.token })
                    .credentials.verify({ credential: taken?.compact ?? '', issuer_did: offer.did });
                assert.deepEqual({ valid, issuer }, { valid: true, issuer: offer.did });
            });
        }
    }

    it('takes one with a transaction code, and tells the issuer', async () => {
        const { offer_uri, tx_code, token, offer_id } = await offered({ tx_code: { length: 6 } });
        await assert.rejects(wallet.take(offer_uri, { txCode: '000000x' }), /invalid_grant/);
        await wallet.take(offer_uri, { txCode: tx_code ?? '' });
        const { state, credential_ids } = await service.as({ token }).offers.get({ offer_id });
        assert.equal(state, 'issued');
        assert.equal(credential_ids.length, 1);
        await assert.rejects(wallet.take(offer_uri, { txCode: tx_code ?? '' }), /invalid_grant/);
    });

    it('takes one for a person at a terminal, who reads what it has', async () => {
        const { offer_uri, tx_code, token, did } = await offered({ tx_code: {} });
        const env = { ...process.env, NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem') };
        const take = (code: string) => run(process.execPath, ['proof/wallets/take.ts', offer_uri, code], { env });
        await assert.rejects(take('000000x'), /invalid_grant/);
        const { stdout } = await take(tx_code ?? '');
        const end = stdout.lastIndexOf('}') + 1;
        assert.partialDeepStrictEqual(JSON.parse(stdout.slice(0, end)), { iss: did, ...CLAIMS });
        const credential = stdout.slice(end).trim();
        const { valid } = await service.as({ token }).credentials.verify({ credential, issuer_did: did });
        assert.equal(valid, true);
    });

    it('takes as many as it has keys', async () => {
        const { offer_uri, token, offer_id } = await offered({}, { max_keys: 3 });
        const taken = await wallet.take(offer_uri, { keys: 3 });
        assert.equal(new Set(taken.map(({ compact }) => compact)).size, 3);
        const { credential_ids } = await service.as({ token }).offers.get({ offer_id });
        assert.equal(new Set(credential_ids).size, 3);
    });

    it('refuses one that is revoked', async () => {
        const { offer_uri, token, offer_id, did } = await offered();
        const [taken] = await wallet.take(offer_uri);
        const compact = taken?.compact ?? '';
        await wallet.verify(compact);
        const { credentials, offers } = service.as({ token });
        const { credential_ids } = await offers.get({ offer_id });
        await credentials.revoke({ credential_id: credential_ids[0] ?? '', issuer_did: did });
        const isRefused = () =>
            wallet.verify(compact).then(
                () => false,
                (error) => /status/i.test(String(error)),
            );
        await until('the revocation is published', isRefused);
    });
});

describe('@openid4vc/openid4vci', () => {
    for (const dpop of [false, true]) {
        it(`takes a credential with a ${dpop ? 'DPoP' : 'bearer'} token`, async () => {
            const { offer_uri, tx_code, token, did } = await offered({ tx_code: {}, expiration_date: expirationDate });
            const { credentials, tokenType } = await takePlainly(offer_uri, { txCode: tx_code ?? '', dpop });
            assert.equal(tokenType.toLowerCase(), dpop ? 'dpop' : 'bearer');
            const [credential = ''] = credentials;
            const { valid } = await service.as({ token }).credentials.verify({ credential, issuer_did: did });
            assert.equal(valid, true);
        });
    }
});
