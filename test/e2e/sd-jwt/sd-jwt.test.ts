import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bound, didJwk, disclosure, encoded, party, partyWith, registered, sdJwt } from '../../unit/tokens/sd-jwts.ts';
import { type Call, expectError, service } from '../support/client.ts';
import { issue, newAccount, newDid, newKey, present, verify } from '../support/world.ts';

const { api_key: token } = await newKey(await newAccount());
const own = await newDid(token);
const issuer = partyWith(own);
const foreign = party('ES256');
const { credentials } = service.as({ token });

const call = (credential: string, issuerDid: string): Call => ({
    method: 'POST',
    path: '/v1/credentials/verify',
    token,
    body: { credential, issuer_did: issuerDid },
});

describe('a credential in the form of an SD-JWT', () => {
    const claims = { role: 'engineer', address: { city: 'Paris', country: 'FR' } };

    for (const signer of [issuer, foreign, { ...foreign, did: didJwk(foreign) }]) {
        it(`of ${signer.did.slice(0, 12)} is verified, and the answer says what its holder has disclosed`, async () => {
            const made = sdJwt({ issuer: signer, claims, disclosable: ['/role', '/address/city'] });
            const answer = await verify(token, made, signer.did);
            assert.deepEqual(
                { ...answer, disclosed: new Set(answer.disclosed) },
                {
                    ...{ valid: true, issuer: signer.did, subject: 'did:web:ada.example', claims },
                    ...{ credential_type: 'https://a.example/employment', revoked: false, expired: false },
                    ...{ issued_at: '2026-01-01T00:00:00.000Z', expires_at: '2999-01-01T00:00:00.000Z' },
                    disclosed: new Set(['/role', '/address/city']),
                },
            );
            const [jwt = ''] = made.split('~');
            const hidden = await verify(token, `${jwt}~`, signer.did);
            assert.deepEqual([hidden.claims, hidden.disclosed], [{ address: { country: 'FR' } }, []]);
        });
    }

    it('is verified in a batch beside others, and in a presentation', async () => {
        const { credential } = await issue(token, own);
        const good = sdJwt({ issuer: foreign });
        const items = [good, credential, good.replace('~', '~AA~'), 'no token'].map((sent) => ({ credential: sent }));
        const { results } = await credentials.batch.verify({ items });
        const shown = results.map((result) => [result.ok, 'valid' in result && result.valid, 'disclosed' in result]);
        assert.deepEqual(shown, [
            [true, true, true],
            [true, true, false],
            [true, false, false],
            [false, false, false],
        ]);
    });

    it('is revoked if the credential with its id is, and if the same issuer has issued both', async () => {
        const { credential_id: jti } = await issue(token, own);
        const made = sdJwt({ issuer, payload: { jti } });
        const [theirs, other] = [
            sdJwt({ issuer: foreign, payload: { jti } }),
            sdJwt({ issuer, payload: { jti: 'x' } }),
        ];
        const revoked = async (sent: string, did: string, check = true) =>
            (await verify(token, sent, did, check)).revoked;
        assert.equal(await revoked(made, own.did), false);
        await credentials.revoke({ credential_id: jti, issuer_did: own.did });
        assert.equal(await revoked(made, own.did), true);
        assert.equal((await verify(token, made, own.did, true)).claims, undefined);
        assert.equal(await revoked(made, own.did, false), false);
        assert.equal(await revoked(theirs, foreign.did), false);
        assert.equal(await revoked(other, own.did), false);
    });

    it('is not valid with a header, a disclosure or a signature of its holder that nobody has asked for', async () => {
        const made = sdJwt({ issuer: foreign });
        const jwt = made.slice(0, made.indexOf('~'));
        const many = Array.from({ length: 10_000 }, (_, i) => disclosure(['salt', `k${i}`, i]));
        const bad = [
            ...['none', 'HS256'].map((alg) => sdJwt({ issuer: foreign, header: { alg } })),
            sdJwt({ issuer: foreign, header: { crit: ['exp'] } }),
            sdJwt({ issuer: foreign, header: { typ: 'JWT' } }),
            sdJwt({ issuer: foreign, header: { jwk: { ...foreign.jwk, d: 'AA' } } }),
            sdJwt({ issuer: foreign, payload: { iss: `did:jwk:${encoded({ ...foreign.jwk, d: 'AA' })}` } }),
            `${jwt}~${many.join('~')}~`,
            `${made}${made.split('~')[1]}~`,
            bound(made, { holder: foreign }),
        ];
        for (const sent of bad) {
            const { error, ...rest } = await verify(token, sent, foreign.did, true);
            assert.deepEqual(rest, { valid: false, revoked: false, expired: false }, error);
        }
    });

    it('is refused if it is no SD-JWT, or if the DID of its issuer has no key', async () => {
        const made = sdJwt({ issuer: foreign });
        const tooLong = `${made}${'A'.repeat(1_048_576 - made.length)}~`;
        await expectError(413, call(tooLong, foreign.did));
        const others = [made.replaceAll('~', ''), `${made} `, `~${made}`];
        for (const sent of others) await expectError(400, call(sent, foreign.did));
        for (const did of ['', 'did:web:x.example', 'did:key:z6Mk', 'did:jwk:', 'did:jwk:a b']) {
            await expectError(400, call(made, did));
        }
        const { credential } = await issue(token, own);
        for (const did of [foreign.did, didJwk(foreign)]) await expectError(400, call(credential, did));
    });

    it('is not presented here: a presentation holds v4.public tokens', async () => {
        await assert.rejects(present(token, own, [sdJwt({ issuer, payload: registered(issuer) })]), { status: 400 });
    });
});
