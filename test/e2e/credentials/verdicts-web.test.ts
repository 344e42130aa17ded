import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Random, seededRandom } from '../../../proof/fuzz/random.ts';
import { type DidDocument, verifyCredential, verifyPresentation } from '../../../verify/src/verify.ts';
import { service } from '../support/client.ts';
import { AUDIENCE } from '../support/presenting.ts';
import { signToken } from '../support/tokens.ts';
import { compareAll, type Tried } from '../support/verdicts.ts';
import { aManagedIssuer, newDid, payloadOf } from '../support/world.ts';

/** Number of mutated tokens of each kind, credentials and presentations. `npm run proof -- verdicts` sets it. */
const TOKENS = Number(process.env['VERDICTS'] ?? 400) / 4;
const SEED = process.env['VERDICTS_SEED'] ?? String(Date.now());
const random = seededRandom(SEED);

const issuer = await aManagedIssuer();
const another = await aManagedIssuer({ token: issuer.token });
const own = await newDid(issuer.token);
const { credentials, presentations, issuers } = service.as({ token: issuer.token });
const { credential } = await credentials.issue({
    issuer_did: issuer.did,
    subject_did: 'did:web:ada.example',
    credential_type: 'EmploymentCredential',
    claims: { role: 'engineer' },
});
const shown = { holder_did: another.did, credentials: [credential], audience: AUDIENCE, nonce: 'n-1' };
const { presentation } = await presentations.create(shown);
const resolve = async ({ issuer_id }: { issuer_id: string }): Promise<DidDocument> => issuers.document({ issuer_id });
const documents = await Promise.all([issuer, another].map(resolve));

type Mutation = (token: string, random: Random) => string;

const flipped: Mutation = (token, { below }) => {
    const body = Buffer.from(token.slice('v4.public.'.length), 'base64url');
    const at = below(body.length);
    body[at] = (body[at] ?? 0) ^ (1 << below(8));
    return `v4.public.${body.toString('base64url')}`;
};
/** Signs a changed payload with a key that belongs to no issuer. */
const signed = (token: string, changes: Record<string, unknown>): string =>
    signToken({ private_key: own.private_key, payload: { ...payloadOf(token), ...changes } });
const ownKid = own.did.slice('did:key:'.length);

const MUTATIONS: Readonly<Record<string, Mutation>> = {
    nothing: (token) => token,
    'a bit': flipped,
    'the length': (token, { below }) => token.slice(0, below(token.length)),
    'the signer, who names his own key': (token) => signed(token, { kid: ownKid }),
    'the signer, who names the key of the issuer': (token) => signed(token, {}),
    'the signer, who names no key': (token) => signed(token, { kid: undefined }),
    'the kid': (token, { pick }) => signed(token, { kid: pick(['', 'z6Mk', 5, null, `${ownKid}x`, own.did]) }),
    'the issuer, with an own key': (token, { pick }) =>
        signed(token, { kid: ownKid, iss: pick([another.did, own.did, `${issuer.did}0`, 'did:web:x.example', null]) }),
};
const kinds = Object.entries(MUTATIONS);

function mutated(token: string, triedOf: (token: string, index: number) => Omit<Tried, 'kind' | 'token'>): Tried[] {
    return Array.from({ length: TOKENS }, (_, i) => {
        const [kind, mutate] = kinds[i % kinds.length] as (typeof kinds)[number]; // the index is within the list
        const changed = mutate(token, random);
        return { kind, token: changed, ...triedOf(changed, i) };
    });
}

it(`the offline verifier has the verdict of the service on ${TOKENS} mutated credentials of a did:web`, async () => {
    const tried = mutated(credential, (token, index) => {
        const dids = [issuer.did, issuer.did, another.did, own.did, 'did:web:x.example'];
        const asked = index === 0 ? issuer.did : random.pick(dids); // the first token is not changed, so one is valid
        return {
            path: 'credentials',
            body: { credential: token, issuer_did: asked },
            library: () => verifyCredential(token, { issuer: asked, documents, status: false }),
        };
    });
    const counts = await compareAll(tried, SEED);
    assert.ok(counts.valid > 0 && counts.invalid > 0 && counts.refused > 0, JSON.stringify(counts));
});

it(`the offline verifier has the verdict of the service on ${TOKENS} mutated presentations of a did:web`, async () => {
    const tried = mutated(presentation, (token) => ({
        path: 'presentations',
        body: { presentation: token, audience: AUDIENCE, nonce: 'n-1' },
        library: () => verifyPresentation(token, { audience: AUDIENCE, nonce: 'n-1', documents, status: false }),
    }));
    const counts = await compareAll(tried, SEED);
    assert.ok(counts.valid > 0 && counts.invalid > 0, JSON.stringify(counts));
});

it('a token of a did:web is not valid for the offline verifier without the document, or after its key was dropped', async () => {
    const [document] = documents;
    assert.ok(document);
    const unknown = { valid: false, revoked: false, expired: false, error: 'The keys of the issuer are not known.' };
    assert.deepEqual(await verifyCredential(credential), unknown);
    assert.deepEqual(await verifyCredential(credential, { documents: [{ ...document, id: another.did }] }), unknown);
    assert.equal((await verifyCredential(credential, { documents: [document] })).valid, true);
    assert.equal(
        (await verifyCredential(credential, { documents: [{ ...document, assertionMethod: [] }] })).valid,
        false,
    );
});
