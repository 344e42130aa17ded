import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { expectError, service } from '../support/client.ts';
import { aKey, aManagedIssuer } from '../support/world.ts';
import { aConfiguration, anOffer, described } from './exchange-examples.ts';

const UNKNOWN = '01a1fac9-0f21-7000-9d3e-8b7c6a5f4e3d';

describe('/v1/issuers/{issuer_id}/configurations', () => {
    it('shows what was described, complete', async () => {
        const { token, did: _, ...created } = await aConfiguration();
        const { issuer_id, configuration_id, created_at } = created;
        assert.deepEqual(created, {
            issuer_id,
            ...described(),
            max_keys: 1,
            proof_algs: ['ES256', 'EdDSA'],
            created_at,
        });
        const { configurations } = service.as({ token });
        assert.deepEqual(await configurations.get({ issuer_id, configuration_id }), created);
        assert.deepEqual(await configurations.list({ issuer_id }), { configurations: [created] });
        assert.deepEqual(await configurations.delete({ issuer_id, configuration_id }), { issuer_id, configuration_id });
        assert.deepEqual(await configurations.list({ issuer_id }), { configurations: [] });
    });

    it('refuses a second configuration with the same id, and a 33rd one', async () => {
        const { token, issuer_id } = await aConfiguration();
        const path = `/v1/issuers/${issuer_id}/configurations`;
        await expectError(409, { method: 'POST', path, token, body: described() });
        const { configurations } = service.as({ token });
        for (let count = 1; count < 32; count++) {
            await configurations.create({ issuer_id, ...described(), configuration_id: `c${count}` });
        }
        const body = { ...described(), configuration_id: 'one-too-many' };
        assert.match((await expectError(409, { method: 'POST', path, token, body })).body.error, /at most 32/);
    });

    it('refuses what no wallet could use', async () => {
        const { token, issuer_id } = await aManagedIssuer();
        const path = `/v1/issuers/${issuer_id}/configurations`;
        const wrong: Array<[object, RegExp]> = [
            [{ configuration_id: 'a b' }, /configuration_id/],
            [{ configuration_id: '..' }, /configuration_id/],
            [{ format: 'jwt_vc_json' }, /format must be dc\+sd-jwt/],
            [{ vct: 'membership' }, /vct must be a URI/],
            [{ vct: 'https://a b' }, /vct must be a URI/],
            [{ vct: `https://club.example/${'a'.repeat(2_048)}` }, /vct/],
            [{ proof_algs: ['HS256'] }, /proof_algs/],
            [{ proof_algs: ['none'] }, /proof_algs/],
            [{ max_keys: 0 }, /max_keys/],
            [{ max_keys: 21 }, /max_keys/],
            [{ display: [{ name: '' }] }, /display/],
            [
                {
                    display: [
                        { name: 'a', locale: 'en' },
                        { name: 'b', locale: 'EN' },
                    ],
                },
                /display/,
            ],
            [{ display: [{ name: 'a', background_color: 'red' }] }, /display/],
            [{ display: [{ name: 'a', logo: 'http://club.example/logo.png' }] }, /display/],
            [{ claims: [{ path: [] }] }, /claims/],
            [{ claims: [{ path: [''] }] }, /claims/],
            ...[
                ['a', -1],
                ['a', 0.5],
                ['a', 65_536],
                ['a', true],
                ['a', {}],
            ].map((path): [object, RegExp] => [
                { claims: [{ path }] },
                /^claims\.0\.path\.1 must be a string, null or/,
            ]),
            ...[[null], [0, 'a']].map((path): [object, RegExp] => [{ claims: [{ path }] }, /begins with a name/]),
            [{ claims: Array.from({ length: 100 }, () => ({ path: ['a'.repeat(250)] })) }, /16 KiB/],
        ];
        for (const [fields, text] of wrong) {
            const body = { ...described(), ...fields };
            assert.match((await expectError(400, { method: 'POST', path, token, body })).body.error, text);
        }
    });

    it('is for did:web issuers of the account', async () => {
        const { token, issuer_id } = await aManagedIssuer({ method: 'key' });
        const body = described();
        const create = (id: string, bearer: string) =>
            ({ method: 'POST', path: `/v1/issuers/${id}/configurations`, token: bearer, body }) as const;
        assert.match((await expectError(400, create(issuer_id, token))).body.error, /did:web/);
        const stranger = await aKey();
        const own = await aConfiguration();
        await expectError(404, create(own.issuer_id, stranger));
        await expectError(404, create(UNKNOWN, token));
        const path = `/v1/issuers/${own.issuer_id}/configurations`;
        for (const method of ['GET', 'DELETE'] as const) {
            await expectError(404, { method, path: `${path}/membership`, token: stranger });
        }
        await expectError(404, { path, token: stranger });
        await service.as({ token: own.token }).issuers.archive({ issuer_id: own.issuer_id });
        await expectError(409, { ...create(own.issuer_id, own.token), body: { ...body, configuration_id: 'b' } });
    });
});

describe('/v1/offers', () => {
    it('answers with a link and a transaction code, once', async () => {
        const txCode = { length: 8, input_mode: 'text' as const };
        const { token, did: _, offer_uri, tx_code: code, ...created } = await anOffer({ tx_code: txCode });
        assert.match(code ?? '', /^[A-Z2-9]{8}$/);
        const { issuer_id, offer_id, created_at, expires_at } = created;
        const link = new URL(offer_uri);
        assert.equal(link.protocol, 'openid-credential-offer:');
        const base = `https://credentials.example/issuers/${issuer_id}/offers/`;
        const uri = link.searchParams.get('credential_offer_uri') ?? '';
        assert.deepEqual([uri.slice(0, base.length), uri.length], [base, base.length + 43]);
        assert.equal(Date.parse(expires_at) - Date.parse(created_at), 900_000);
        const me = service.as({ token });
        const shown = { ...created, credential_ids: [] };
        assert.deepEqual(await me.offers.get({ offer_id }), shown);
        assert.deepEqual(await me.offers.list(), { offers: [shown], total: 1 });
        assert.deepEqual(await me.offers.delete({ offer_id }), { offer_id });
        await expectError(404, { path: `/v1/offers/${offer_id}`, token });
        await expectError(404, { method: 'DELETE', path: `/v1/offers/${offer_id}`, token });
    });

    it('needs no transaction code, and expires when its maker says', async () => {
        const { tx_code, created_at, expires_at } = await anOffer({ expires_in: 86_400 });
        assert.equal(tx_code, undefined);
        assert.equal(Date.parse(expires_at) - Date.parse(created_at), 86_400_000);
    });

    it('refuses what could not be issued', async () => {
        const { token, issuer_id, configuration_id } = await aConfiguration();
        const refused = (fields: object) => {
            const body = { issuer_id, configuration_id, claims: {}, ...fields };
            return expectError(400, { method: 'POST', path: '/v1/offers', token, body });
        };
        const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
        const wrong: Array<[object, RegExp]> = [
            [{ claims: { a: 'a'.repeat(64 << 10) } }, /claims/],
            [{ claims: [] }, /claims/],
            [{ claims: { cnf: {} } }, /named cnf/],
            [{ claims: { n: 2 ** 53 } }, /2\^53 - 1/],
            [{ claims: Object.fromEntries(Array.from({ length: 1_001 }, (_, i) => [`c${i}`, i])) }, /at most 1000/],
            [{ subject_did: `did:web:${'a'.repeat(1_020)}` }, /1024 characters/],
            [{ claims: { a: { _sd: [] } } }, /_sd/],
            [{ expires_in: 0 }, /expires_in/],
            [{ expires_in: 86_401 }, /expires_in/],
            [{ tx_code: { length: 3 } }, /tx_code.length/],
            [{ tx_code: { length: 9 } }, /tx_code.length/],
            [{ tx_code: { input_mode: 'voice' } }, /tx_code.input_mode/],
            [{ tx_code: { description: 'a'.repeat(301) } }, /tx_code.description/],
            [{ subject_did: 'Ada' }, /subject_did/],
            [{ subject_did: 'did:invalid:erased' }, /erased people/],
            [{ expiration_date: 'tomorrow' }, /expiration_date/],
            [{ expiration_date: '2020-01-01' }, /expiration_date must be later than the end of the offer, 20/],
            [{ expiration_date: inAnHour, expires_in: 3_601 }, /later than the end of the offer/],
        ];
        for (const [fields, text] of wrong) assert.match((await refused(fields)).body.error, text);
        const { offers } = service.as({ token });
        await offers.create({ issuer_id, configuration_id, claims: {}, expiration_date: inAnHour, expires_in: 60 });
    });

    it('is of an issuer and a configuration of the account alone', async () => {
        const { token, issuer_id, configuration_id, offer_id } = await anOffer();
        const stranger = await aKey();
        const body = { issuer_id, configuration_id, claims: {} };
        const create = { method: 'POST', path: '/v1/offers' } as const;
        await expectError(404, { ...create, token: stranger, body });
        await expectError(404, { ...create, token, body: { ...body, configuration_id: 'another' } });
        await expectError(404, { ...create, token, body: { ...body, issuer_id: UNKNOWN } });
        await expectError(404, { path: `/v1/offers/${offer_id}`, token: stranger });
        await expectError(404, { method: 'DELETE', path: `/v1/offers/${offer_id}`, token: stranger });
    });

    it('is refused beyond the quota of the tier, and a deleted offer makes room', async () => {
        const { token: owner, issuer_id, configuration_id } = await aConfiguration();
        const { token } = { token: owner };
        const { offers } = service.as({ token });
        const made = await offers.create({ issuer_id, configuration_id, claims: {} });
        await offers.delete({ offer_id: made.offer_id });
        assert.equal((await offers.list()).total, 0);
    });
});
