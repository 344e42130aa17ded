import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sdJwtVcVerdict } from '../../../tokens/sd-jwt-vc.ts';
import { didJwk, disclosure, encoded, faultOf, ID, nameOf, open, party, registered, sdJwt } from './sd-jwts.ts';

const issuer = party('EdDSA');
const p256 = party('ES256');
const holder = party('ES256');
const NOW = Date.parse('2026-01-01T00:00:00Z');
const WEB = 'did:web:credentials.example:issuers:01a1fac9-0ec3-7000-8c5d-2f7b9e0a6c11';

describe('an SD-JWT VC', () => {
    for (const signer of [issuer, p256]) {
        it(`signed with ${signer.alg} shows its issuer, its times and its claims`, () => {
            const claims = { role: 'engineer', address: { city: 'Paris' }, 'a/b': [1, 2] };
            const made = { issuer: signer, claims, disclosable: ['/role', '/address/city', '/a~1b/0'] };
            const expected = {
                credential_id: ID,
                issuer: signer.did,
                kid: undefined,
                subject: 'did:web:ada.example',
                credential_type: 'https://a.example/employment',
                issued_at: '2026-01-01T00:00:00.000Z',
                expires_at: '2999-01-01T00:00:00.000Z',
                not_before: undefined,
                status: undefined,
            };
            const { claims: text, disclosed, ...shown } = open(sdJwt(made));
            assert.deepEqual(shown, expected);
            assert.deepEqual(JSON.parse(text), claims);
            assert.deepEqual(new Set(disclosed), new Set(made.disclosable));
            const [first, , ...rest] = sdJwt(made).split('~');
            const fewer = open([first, ...rest].join('~'), { did: signer.did });
            assert.equal(fewer.disclosed.length, 2);
        });
    }

    it('is of a did:key, a did:jwk or a did:web whose key its kid names', () => {
        for (const signer of [issuer, p256]) {
            const name = nameOf(signer);
            for (const kid of [undefined, `#${name}`, `${signer.did}#${name}`]) {
                assert.equal(open(sdJwt({ issuer: signer, header: { kid } })).kid, undefined);
            }
            for (const kid of [undefined, '#0', `${didJwk(signer)}#0`]) {
                const iss = didJwk(signer);
                assert.equal(open(sdJwt({ issuer: signer, header: { kid }, payload: { iss } })).issuer, iss);
            }
            for (const kid of [`#${name}`, `${WEB}#${name}`]) {
                const { issuer: iss, kid: read } = open(
                    sdJwt({ issuer: signer, header: { kid }, payload: { iss: WEB } }),
                );
                assert.deepEqual([iss, read], [WEB, name]);
            }
        }
    });

    it('is refused if its kid names no key of its issuer', () => {
        const kids = [
            '',
            '#',
            nameOf(issuer),
            `#${nameOf(p256)}`,
            `${p256.did}#${nameOf(p256)}`,
            `${issuer.did}#`,
            '#0',
        ];
        for (const kid of kids) {
            const reason = 'The issuer is no DID that contains the key of the token.';
            assert.equal(faultOf(sdJwt({ issuer, header: { kid } })), reason, kid);
        }
        for (const kid of [undefined, '#', '#key-1', `did:web:other.example#${nameOf(issuer)}`]) {
            const reason = 'The token does not name the key of its issuer.';
            assert.equal(faultOf(sdJwt({ issuer, header: { kid }, payload: { iss: WEB } })), reason, kid);
        }
        const jwks = [{ ...p256.jwk, d: p256.jwk['x'] }, { ...p256.jwk, y: p256.jwk['x'] }, { kty: 'oct', k: 'AA' }, 5];
        for (const jwk of jwks) {
            const iss = `did:jwk:${encoded(jwk)}`;
            assert.match(faultOf(sdJwt({ issuer: p256, payload: { iss } })), /no DID that contains/);
        }
    });

    it('is refused if another key signed it, or the key with another algorithm', () => {
        assert.equal(faultOf(sdJwt({ issuer, payload: { iss: p256.did } })), 'The signature is not valid.');
        assert.equal(faultOf(sdJwt({ issuer, header: { alg: 'ES256' } })), 'The signature is not valid.');
        assert.equal(faultOf(sdJwt({ issuer: p256, header: { alg: 'EdDSA' } })), 'The signature is not valid.');
        assert.equal(faultOf(sdJwt({ issuer }), { did: p256.did }), 'The signature is not valid.');
        const token = sdJwt({ issuer, payload: { iss: didJwk(issuer) } });
        const other = 'The token names another issuer than the one that signed it.';
        assert.equal(faultOf(token, { did: issuer.did }), other);
        assert.equal(faultOf(sdJwt({ issuer, payload: { iss: undefined } }), { did: issuer.did }), other);
        assert.match(faultOf(sdJwt({ issuer, payload: { iss: undefined } })), /no DID that contains/);
        assert.equal(open(sdJwt({ issuer, header: { alg: 'Ed25519' } })).issuer, issuer.did);
    });

    it('is refused if its header does not say what it is, or says how else to verify it', () => {
        for (const typ of [undefined, 'JWT', 'vc+sd-jwt', 'kb+jwt', 'statuslist+jwt', 'application/dc+sd-jwt']) {
            assert.equal(faultOf(sdJwt({ issuer, header: { typ } })), 'The typ of the token is not dc+sd-jwt.');
        }
        for (const header of [
            { alg: 'none' },
            { alg: 'HS256' },
            { crit: ['exp'] },
            { jwk: { ...issuer.jwk, d: 'AA' } },
        ]) {
            assert.match(faultOf(sdJwt({ issuer, header })), /^The token is not a well-formed SD-JWT: its /);
        }
    });

    const unfit: Record<string, unknown[]> = {
        vct: [undefined, '', ' ', 5, null, 'x'.repeat(256)],
        sub: [5, null, 'x'.repeat(2_049)],
        jti: [5, null, {}],
        iat: ['2026-01-01T00:00:00Z', null, 1e15, -1e15],
        nbf: ['0', null, []],
        exp: ['2999-01-01T00:00:00Z', null, {}, 1e300],
    };
    for (const [name, values] of Object.entries(unfit)) {
        it(`is refused with an unfit ${name}`, () => {
            for (const value of values) {
                const reason = `The token is not a credential: ${name} is missing or unfit.`;
                assert.equal(faultOf(sdJwt({ issuer, payload: { [name]: value } })), reason, String(value));
            }
        });
    }

    it('needs neither subject nor times nor id, and may have an id that is none of this service', () => {
        const nothing = { sub: undefined, iat: undefined, exp: undefined, jti: 'https://a.example/credentials/1' };
        const { subject, issued_at, expires_at, credential_id } = open(sdJwt({ issuer, payload: nothing }));
        assert.deepEqual([subject, issued_at, expires_at, credential_id], [undefined, undefined, undefined, undefined]);
    });

    it('may hide its subject and its time of issue, but nothing else that says what it is', () => {
        const hidden = (claims: Record<string, unknown>, disclosable?: string[]): string => {
            const names = Object.fromEntries(Object.keys(claims).map((name) => [name, undefined]));
            return sdJwt({ issuer, payload: names, claims, ...(disclosable && { disclosable }) });
        };
        const { subject, disclosed } = open(hidden({ sub: 'did:web:x.example', iat: 0, role: 'engineer' }));
        assert.deepEqual([subject, disclosed], ['did:web:x.example', ['/role']]);
        const { iss, vct, exp, jti } = registered(issuer);
        for (const claims of [
            { vct },
            { exp },
            { jti },
            { nbf: 0 },
            { cnf: {} },
            { status: {} },
            { 'vct#integrity': '' },
        ]) {
            const reason = 'The token hides what every credential must show.';
            assert.equal(faultOf(hidden(claims)), reason, JSON.stringify(claims));
        }
        assert.equal(faultOf(hidden({ iss }), { did: iss }), 'The token hides what every credential must show.');
        const parts = hidden({ cnf: { jwk: holder.jwk } }, ['/cnf/jwk']);
        assert.equal(faultOf(parts), 'The token hides what every credential must show.');
    });

    it('names its place on a status list', () => {
        const place = (status: unknown) => open(sdJwt({ issuer, payload: { status } })).status;
        const uri = 'https://a.example/list';
        assert.equal(place(undefined), undefined);
        assert.deepEqual(place({ status_list: { idx: 1, uri } }), { idx: 1, uri, iss: undefined });
        assert.deepEqual(place({ status_list: { idx: 1, uri, iss: p256.did } }), { idx: 1, uri, iss: p256.did });
        for (const odd of [
            null,
            5,
            {},
            { status_list: { idx: -1, uri } },
            { status_list: { idx: 1, uri, iss: 'x' } },
        ]) {
            assert.equal(place(odd), null);
        }
    });

    it('is judged by its times, and shows claims only if it is valid', () => {
        const at = (now: number, revoked = false, payload = {}) =>
            sdJwtVcVerdict(open(sdJwt({ issuer, payload })), { now, revoked });
        assert.deepEqual(at(NOW).disclosed, ['/role']);
        for (const verdict of [at(NOW, true), at(Date.UTC(3000)), at(NOW, false, { nbf: NOW / 1_000 + 1 })]) {
            assert.equal(verdict.valid, false);
            assert.deepEqual([verdict.claims, verdict.disclosed], [undefined, undefined]);
        }
        assert.equal(at(NOW, false, { nbf: NOW / 1_000 }).valid, true);
        assert.deepEqual(at(Date.UTC(3000)).expired, true);
    });

    it('has a bounded size and number of disclosures', () => {
        const token = sdJwt({ issuer, claims: {} });
        const many = Array.from({ length: 10_000 }, (_, i) => disclosure(['salt', `k${i}`, i]));
        assert.equal(faultOf(`${token}${many.join('~')}~`), 'The token is not a well-formed SD-JWT.');
        assert.equal(faultOf(`${token}${'A'.repeat(1 << 20)}~`), 'The token is not a well-formed SD-JWT.');
        assert.match(faultOf(`${token}${disclosure(['salt', 'a', 1])}~`), /belongs to no digest/);
    });
});
