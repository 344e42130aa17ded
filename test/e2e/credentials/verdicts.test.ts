import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seededRandom } from '../../../proof/fuzz/random.ts';
import { verifyCredential, verifyPresentation } from '../../../verify/src/verify.ts';
import { send } from '../support/client.ts';
import { MUTATIONS } from '../support/mutated-tokens.ts';
import { AUDIENCE, presenting } from '../support/presenting.ts';
import { signToken } from '../support/tokens.ts';
import { compareAll, type Tried } from '../support/verdicts.ts';
import { payloadOf, present } from '../support/world.ts';

/** Number of mutated tokens of each kind, credentials and presentations. `npm run proof -- verdicts` sets it. */
const TOKENS = Number(process.env['VERDICTS'] ?? 400);
const SEED = process.env['VERDICTS_SEED'] ?? String(Date.now());

const { token: caller, issuer, holder, other, one } = await presenting();
const { presentation } = await present(caller, holder, [one.credential], { nonce: 'n-1', domain: 'a domain' });
const presented = payloadOf(presentation);
const random = seededRandom(SEED);
const kinds = Object.entries(MUTATIONS);

function credentials(): Tried[] {
    const payload = payloadOf(one.credential);
    return Array.from({ length: TOKENS }, (_, i) => {
        const [kind, mutate] = kinds[i % kinds.length] as (typeof kinds)[number]; // the index is within the list
        const token = mutate({ random, signer: issuer, other, payload });
        const named = namedIssuer(token);
        const asked = random.pick([issuer.did, issuer.did, named, other.did, 'did:key:z6Mk', '']);
        const body = { credential: token, issuer_did: asked };
        return {
            kind,
            token,
            path: 'credentials',
            body,
            library: () => verifyCredential(token, { issuer: asked, status: false }),
        };
    });
}

function presentations(): Tried[] {
    const payload = payloadOf(one.credential);
    return Array.from({ length: TOKENS }, (_, i) => {
        const [kind, mutate] = kinds[i % kinds.length] as (typeof kinds)[number]; // as above
        const isInside = random.oneIn(2);
        // Half of the time the presentation is good, and the credential in it is mutated.
        const token = isInside
            ? signToken({
                  private_key: holder.private_key,
                  payload: { ...presented, credentials: [mutate({ random, signer: issuer, other, payload })] },
              })
            : mutate({ random, signer: holder, other, payload: presented });
        const nonce = random.pick<string | false>(['n-1', 'n-1', false, 'n-2', '']);
        const audience = random.pick([AUDIENCE, AUDIENCE, AUDIENCE, other.did, 'no DID']);
        const body = { presentation: token, audience, ...(nonce !== false && { nonce }) };
        const library = () => verifyPresentation(token, { audience, nonce, status: false });
        return {
            kind: isInside ? `${kind} of a presented credential` : kind,
            token,
            path: 'presentations',
            body,
            library,
        };
    });
}

/** Returns the signer that a token names, if its payload can be read at all. */
function namedIssuer(token: string): string {
    try {
        const { iss } = payloadOf(token);
        return typeof iss === 'string' ? iss : issuer.did;
    } catch {
        return issuer.did;
    }
}

describe('the offline verifier', () => {
    for (const [what, tried] of Object.entries({ credentials: credentials(), presentations: presentations() })) {
        it(`has the verdict of the service on ${TOKENS} mutated ${what}`, async () => {
            const counts = await compareAll(tried, SEED);
            for (const count of Object.values(counts)) assert.ok(count > TOKENS / 100, JSON.stringify(counts));
        });
    }

    it('has the verdict of the service on credentials that it has issued, without naming an issuer', async () => {
        const body = { credential: one.credential, issuer_did: issuer.did };
        const { data } = await send({ method: 'POST', path: '/internal/v1/credentials/verify', internal: true, body });
        assert.equal(data.valid, true);
        assert.deepEqual(await verifyCredential(one.credential), data);
        const more = await send({
            method: 'POST',
            path: '/internal/v1/presentations/verify',
            internal: true,
            body: { presentation, audience: AUDIENCE, nonce: 'n-1' },
        });
        assert.equal(more.data.valid, true);
        assert.deepEqual(await verifyPresentation(presentation, { audience: AUDIENCE, nonce: 'n-1' }), more.data);
    });
});
