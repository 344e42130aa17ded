import assert from 'node:assert/strict';
import { it } from 'node:test';
import { seededRandom } from '../../../proof/fuzz/random.ts';
import { verifyCredential } from '../../../verify/src/verify.ts';
import { SD_JWT_MUTATIONS } from '../../unit/tokens/mutated-sd-jwts.ts';
import { didJwk, party } from '../../unit/tokens/sd-jwts.ts';
import { compareAll, type Tried } from '../support/verdicts.ts';

/** Number of mutated tokens. `npm run proof -- verdicts` sets it. */
const TOKENS = Number(process.env['VERDICTS'] ?? 400);
const SEED = process.env['VERDICTS_SEED'] ?? String(Date.now());
const random = seededRandom(SEED);

const [ed25519, p256, holder] = [party('EdDSA'), party('ES256'), party('ES256')];
const issuers = [ed25519, p256, { ...ed25519, did: didJwk(ed25519) }, { ...p256, did: didJwk(p256) }] as const;
const kinds = Object.entries(SD_JWT_MUTATIONS);

function tried(): Tried[] {
    return Array.from({ length: TOKENS }, (_, i) => {
        const [kind, mutate] = kinds[i % kinds.length] as (typeof kinds)[number]; // the index is within the list
        const issuer = random.pick(issuers);
        const token = mutate({ random, issuer, other: random.pick(issuers), holder });
        const asked = random.pick([issuer.did, issuer.did, issuer.did, random.pick(issuers).did, 'did:key:z6Mk', '']);
        return {
            kind,
            token,
            path: 'credentials',
            body: { credential: token, issuer_did: asked },
            library: () => verifyCredential(token, { issuer: asked, status: false }),
        };
    });
}

it(`the offline verifier has the verdict of the service on ${TOKENS} mutated SD-JWTs`, async () => {
    const counts = await compareAll(tried(), SEED);
    for (const count of Object.values(counts)) assert.ok(count > TOKENS / 100, JSON.stringify(counts));
});
