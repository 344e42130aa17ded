import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bound, didJwk, faultOf, jwt, NODE, nameOf, open, party, registered, sdJwt } from './sd-jwts.ts';

const issuer = party('EdDSA');
const holder = party('ES256');
const NOW = Date.parse('2026-01-01T00:00:00Z');
const WEB = 'did:web:credentials.example:issuers:01a1fac9-0ec3-7000-8c5d-2f7b9e0a6c11';

describe('a credential that its holder shows', () => {
    const binding = { audience: 'https://verifier.example', nonce: 'n-1', now: NOW };
    const cnfs = { jwk: { jwk: { ...holder.jwk, kid: 'x' } }, kid: { kid: `${holder.did}#${nameOf(holder)}` } };
    const token = sdJwt({ issuer, payload: { cnf: cnfs.jwk } });
    const reason = (made: Partial<Parameters<typeof bound>[1]>) =>
        faultOf(bound(token, { holder, ...made }), { binding });

    it('is accepted for the audience and the nonce that she signed', () => {
        for (const cnf of [cnfs.jwk, cnfs.kid, { kid: `${didJwk(holder)}#0` }]) {
            const shown = bound(sdJwt({ issuer, payload: { cnf } }), { holder });
            assert.equal(open(shown, { binding }).issuer, issuer.did);
        }
    });

    it('is refused without her signature if it was asked for, and with it if it was not', () => {
        assert.equal(faultOf(token, { binding }), 'The token has no key binding.');
        const unasked = 'The token has a key binding, and nobody has asked for one.';
        assert.equal(faultOf(bound(token, { holder })), unasked);
    });

    it('is refused if the credential names no key that can be read', () => {
        const cnf = [
            undefined,
            null,
            {},
            { jwk: 5 },
            { jwk: { ...holder.jwk, d: 'AA' } },
            { kid: 5 },
            { kid: `${WEB}#x` },
        ];
        for (const odd of [...cnf, { kid: `${WEB}#${nameOf(holder)}` }, { jwk: {}, kid: cnfs.kid.kid }]) {
            const shown = bound(sdJwt({ issuer, payload: { cnf: odd } }), { holder });
            assert.equal(faultOf(shown, { binding }), 'The credential names no key of its holder.');
        }
    });

    it('is refused if she signed something else', () => {
        assert.equal(reason({ holder: party('ES256') }), 'The signature of the key binding is not valid.');
        assert.equal(reason({ holder: issuer }), 'The signature of the key binding is not valid.');
        assert.equal(reason({ header: { typ: 'JWT' } }), 'The typ of the key binding is not kb+jwt.');
        assert.match(reason({ header: { alg: 'none' } }), /^The key binding is not well-formed: its alg/);
        assert.equal(reason({ payload: { sd_hash: NODE.digest('x') } }), 'The key binding is for another token.');
        assert.equal(
            reason({ payload: { aud: ['https://verifier.example'] } }),
            'The key binding is for another audience.',
        );
        assert.equal(reason({ payload: { nonce: undefined } }), 'The nonce is not the expected one.');
        const [first, ...rest] = bound(token, { holder }).split('~');
        assert.equal(faultOf([first, rest.at(-1)].join('~'), { binding }), 'The key binding is for another token.');
    });

    it('is refused if she signed it more than five minutes ago, or in the future', () => {
        const now = NOW / 1_000;
        for (const iat of [now - 300, now + 60]) assert.equal(reason({ payload: { iat } }), 'accepted');
        assert.equal(reason({ payload: { iat: now - 600 } }), 'The key binding is older than 300 seconds.');
        for (const payload of [{ iat: now + 61 }, { iat: undefined }, { iat: '0' }, { nbf: now + 1 }, { nbf: '0' }]) {
            assert.equal(reason({ payload }), 'The key binding is not valid yet.');
        }
        for (const exp of [now, '9']) assert.equal(reason({ payload: { exp } }), 'The key binding has expired.');
        assert.equal(reason({ payload: { exp: now + 1, nbf: now } }), 'accepted');
    });

    it('is refused if a token of another kind stands in place of her signature', () => {
        const other = jwt(holder, { typ: 'dc+sd-jwt' }, registered(holder));
        assert.equal(faultOf(token + other, { binding }), 'The typ of the key binding is not kb+jwt.');
    });
});
