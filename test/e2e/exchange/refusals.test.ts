import assert from 'node:assert/strict';
import { it } from 'node:test';
import { CHALLENGE_PATTERN } from '../../../gateway/http/oauth.ts';
import { newWalletKey } from '../../support/wallets/wallet-keys.ts';
import { send } from '../support/client.ts';
import { anOffer, credentialRequest, redeemed } from './exchange-examples.ts';
import { refusedWith } from './wallet.ts';

const path = '/issuers/01a1fac9-0f21-7000-9d3e-8b7c6a5f4e3d/credential';

it('proofs of another form are invalid, whichever form they have', async () => {
    const errorDescription = 'proofs must have only jwt: a list of at most 20 proofs, each a string.';
    for (const proofs of [{ di_vp: [{}] }, { jwt: 'x' }, { jwt: [1] }, { jwt: Array(21).fill('x') }, 'x', []]) {
        const body = { credential_configuration_id: 'membership', proofs };
        const answer = await send({ method: 'POST', path, token: 'a'.repeat(43), body });
        assert.equal(answer.status, 400);
        assert.deepEqual(answer.body, { error: 'invalid_proof', error_description: errorDescription });
    }
});

it('a response is not encrypted, whichever form the request for it has', async () => {
    const offered = await anOffer();
    const { access_token: token } = await redeemed(offered);
    for (const encryption of [{}, { jwk: { kty: 'EC' }, enc: 'A128GCM' }, { enc: 1 }, 'A128GCM', [], false]) {
        const answer = await send({
            method: 'POST',
            path: `/issuers/${offered.issuer_id}/credential`,
            token,
            body: { credential_configuration_id: 'membership', credential_response_encryption: encryption },
        });
        assert.deepEqual(refusedWith(answer), [400, 'invalid_encryption_parameters'], JSON.stringify(encryption));
    }
});

it('a key that has its credential under one name learns that it must keep it', async () => {
    const offered = await anOffer({}, { max_keys: 2 });
    const { issuer_id } = offered;
    const { access_token: token } = await redeemed(offered);
    const key = newWalletKey();
    const kid = `did:jwk:${Buffer.from(JSON.stringify(key.jwk)).toString('base64url')}#0`;
    const ask = async (named?: object) => {
        const { issuer_id: _, ...body } = await credentialRequest(issuer_id, key, named);
        return send({ method: 'POST', path: `/issuers/${issuer_id}/credential`, token, body });
    };
    assert.equal((await ask()).status, 200);
    const refused = await ask({ kid });
    assert.deepEqual(refusedWith(refused), [400, 'credential_request_denied']);
    assert.match(
        JSON.parse(refused.text).error_description,
        /bound to another name of this key\. Name the key as in the/,
    );
    assert.equal((await ask()).status, 200);
});

it('a challenge names both schemes, and an error only if a token was sent, as the text does', async () => {
    const [none, wrong] = ['An access token is required in Authorization.', 'The access token is not valid.'];
    for (const [authorization, challenge, text] of [
        [undefined, 'Bearer realm="credentials", DPoP algs="ES256 EdDSA"', none],
        ['Basic YTpi', 'Bearer realm="credentials", DPoP algs="ES256 EdDSA"', none],
        ['Bearer', 'Bearer realm="credentials", DPoP algs="ES256 EdDSA"', none],
        ['DPoP ', 'Bearer realm="credentials", DPoP algs="ES256 EdDSA"', none],
        ['Bearer x', 'Bearer error="invalid_token", DPoP algs="ES256 EdDSA"', wrong],
        ['bearer a b', 'Bearer error="invalid_token", DPoP algs="ES256 EdDSA"', wrong],
        [`Bearer ${'a'.repeat(43)}`, 'Bearer error="invalid_token", DPoP algs="ES256 EdDSA"', wrong],
        ['DPoP x', 'DPoP error="invalid_token", algs="ES256 EdDSA"', wrong],
        [`DPoP ${'a'.repeat(43)}`, 'DPoP error="invalid_token", algs="ES256 EdDSA"', wrong],
    ] as const) {
        const answer = await send({ method: 'POST', path, headers: authorization ? { authorization } : {}, body: {} });
        assert.deepEqual(refusedWith(answer), [401, 'invalid_token']);
        assert.equal(JSON.parse(answer.text).error_description, text, authorization);
        assert.equal(answer.headers.get('www-authenticate'), challenge);
        assert.match(challenge, new RegExp(CHALLENGE_PATTERN));
    }
});
