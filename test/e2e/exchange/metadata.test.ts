import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { send, service } from '../support/client.ts';
import { aManagedIssuer } from '../support/world.ts';
import { aConfiguration, described } from './exchange-examples.ts';
import { identifierOf, refusedWith } from './wallet.ts';

describe('the metadata of an issuer', () => {
    it('says in three places the same identifier', async () => {
        const { issuer_id } = await aConfiguration({ max_keys: 3, proof_algs: ['ES256'] });
        const issuer = await service.exchange.issuerMetadata({ issuer_id });
        const server = await service.exchange.serverMetadata({ issuer_id });
        const identifier = identifierOf(issuer_id);
        assert.deepEqual([issuer.credential_issuer, server.issuer], [identifier, identifier]);
        assert.equal(server.token_endpoint, `${identifier}/token`);
        assert.deepEqual(issuer.batch_credential_issuance, { batch_size: 3 });
        const { display, claims } = described();
        const [{ logo, ...shown }] = display as [Record<string, unknown>];
        assert.deepEqual(issuer.credential_configurations_supported, {
            membership: {
                format: 'dc+sd-jwt',
                vct: described().vct,
                cryptographic_binding_methods_supported: ['jwk', 'did:key', 'did:jwk'],
                proof_types_supported: { jwt: { proof_signing_alg_values_supported: ['ES256'] } },
                credential_metadata: { display: [{ ...shown, logo: { uri: logo } }], claims },
            },
        });
    });

    it('describes claims in arrays, as was sent', async () => {
        const path = ['degrees', null, 'courses', 0, 'a', 65_535];
        const { issuer_id, configuration_id, token, claims } = await aConfiguration({ claims: [{ path }] });
        const described = [{ path, mandatory: false, display: [] }];
        assert.deepEqual(claims, described);
        const owned = service.as({ token }).configurations;
        assert.deepEqual((await owned.get({ issuer_id, configuration_id })).claims, described);
        assert.deepEqual((await owned.list({ issuer_id })).configurations[0]?.claims, described);
        const { credential_configurations_supported } = await service.exchange.issuerMetadata({ issuer_id });
        const { membership } = credential_configurations_supported as Record<string, object>;
        assert.partialDeepStrictEqual(membership, { credential_metadata: { claims: [{ path, mandatory: false }] } });
    });

    it('has no empty lists', async () => {
        const { issuer_id } = await aConfiguration({ display: [], claims: [{ path: ['given_name'] }] });
        const issuer = await service.exchange.issuerMetadata({ issuer_id });
        const { membership } = issuer.credential_configurations_supported as Record<string, object>;
        assert.partialDeepStrictEqual(membership, { credential_metadata: { claims: [{ path: ['given_name'] }] } });
        assert.doesNotMatch(JSON.stringify(issuer), /\[\]/);
        const bare = await aConfiguration({ display: [], claims: [] });
        const shown = await service.exchange.issuerMetadata({ issuer_id: bare.issuer_id });
        assert.doesNotMatch(JSON.stringify(shown), /credential_metadata/);
    });

    it('is none for an issuer that offers nothing', async () => {
        for (const name of ['openid-credential-issuer', 'oauth-authorization-server']) {
            const path = `/.well-known/${name}/issuers/01a1fac9-0f21-7000-9d3e-8b7c6a5f4e3d`;
            assert.equal((await send({ path })).status, 404);
        }
    });

    it('leads to a nonce, which is none for an issuer that offers nothing', async () => {
        const { token, issuer_id } = await aManagedIssuer();
        const nonceOf = (issuer: string) => send({ method: 'POST', path: `/issuers/${issuer}/nonce` });
        for (const issuer of ['x', '01a1fac9-0f21-7000-9d3e-8b7c6a5f4e3d', issuer_id]) {
            assert.deepEqual(refusedWith(await nonceOf(issuer)), [404, 'invalid_request']);
        }
        await service.as({ token }).configurations.create({ issuer_id, ...described() });
        assert.equal((await nonceOf(issuer_id)).status, 200);
    });
});
