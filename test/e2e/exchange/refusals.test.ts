import assert from 'node:assert/strict';
import { it } from 'node:test';
import { CHALLENGE_PATTERN } from '../../../gateway/http/oauth.ts';
import { send } from '../support/client.ts';
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

it('a challenge names both schemes, and an error only if a token was sent', async () => {
    for (const [authorization, challenge] of [
        [undefined, 'Bearer, DPoP algs="ES256 EdDSA"'],
        ['Basic YTpi', 'Bearer, DPoP algs="ES256 EdDSA"'],
        ['Bearer x', 'Bearer error="invalid_token", DPoP algs="ES256 EdDSA"'],
        [`DPoP ${'a'.repeat(43)}`, 'DPoP error="invalid_token", algs="ES256 EdDSA"'],
    ] as const) {
        const answer = await send({ method: 'POST', path, headers: authorization ? { authorization } : {}, body: {} });
        assert.deepEqual(refusedWith(answer), [401, 'invalid_token']);
        assert.equal(answer.headers.get('www-authenticate'), challenge);
        assert.match(challenge, new RegExp(CHALLENGE_PATTERN));
    }
});
