import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type DidDocument, signerFault } from '../../../verify/src/documents.ts';
import { verifyCredential, verifyPresentation } from '../../../verify/src/verify.ts';
import { cpuMs } from '../cpu-time.ts';
import { credentialToken, newSigner, presentationToken } from './signed-lists.ts';

const did = 'did:web:credentials.example:issuers:01a1fac9-0ec3-7000-8c5d-2f7b9e0a6c11';
const [kid, other] = [newSigner(), newSigner()].map((signer) => signer.did.slice('did:key:'.length)) as [
    string,
    string,
];
const method = (own: string, changes = {}) => ({
    id: `${did}#${own}`,
    type: 'Ed25519VerificationKey2020',
    controller: did,
    publicKeyMultibase: own,
    ...changes,
});
const faultOf = (document: object, purpose: 'assertionMethod' | 'authentication' = 'assertionMethod') =>
    signerFault({ did, kid }, { documents: [{ id: did, ...document }], purpose });

it('a key counts for the purpose for which the document lists it, by any form of its id or embedded', () => {
    const verificationMethod = [method(other), method(kid)];
    assert.equal(faultOf({ verificationMethod, assertionMethod: [`${did}#${kid}`] }), undefined);
    assert.equal(faultOf({ verificationMethod, assertionMethod: [`#${kid}`] }), undefined);
    assert.equal(
        faultOf({ verificationMethod: [method(kid, { id: `#${kid}` })], assertionMethod: [`${did}#${kid}`] }),
        undefined,
    );
    assert.equal(faultOf({ assertionMethod: [method(kid)] }), undefined);
    assert.ok(faultOf({ verificationMethod, assertionMethod: [`${did}#${kid}`] }, 'authentication'));
    assert.ok(faultOf({ verificationMethod, assertionMethod: [`${did}#${other}`] }));
    assert.ok(faultOf({ verificationMethod }));
});

it('a key does not count if another DID controls it, or if the document has an odd shape', () => {
    assert.ok(faultOf({ assertionMethod: [method(kid, { controller: 'did:web:other.example' })] }));
    for (const odd of [null, 5, 'x', {}, [null], [5], [[]], [{}]]) {
        assert.ok(faultOf({ verificationMethod: odd, assertionMethod: odd }), JSON.stringify(odd));
    }
});

it('documents that are no list of objects are refused with a TypeError', async () => {
    for (const odd of [null, 5, {}, ['x'], [null]]) {
        await assert.rejects(verifyCredential('x', { documents: odd as never }), TypeError);
    }
});

it('a key that may only assert signs no presentation, and a key that may only authenticate no credential', async () => {
    const signer = newSigner();
    const own = signer.did.slice('did:key:'.length);
    const changes = { iss: did, kid: own };
    const [credential, presentation] = [
        credentialToken(signer, undefined, changes),
        presentationToken(signer, [credentialToken(newSigner())], undefined, changes),
    ];
    const listing = (purpose: string): DidDocument => ({ id: did, [purpose]: [method(own)] });
    const verdicts = async (documents: DidDocument[]) => [
        (await verifyCredential(credential, { documents })).valid,
        (await verifyPresentation(presentation, { audience: 'did:web:verifier.example', nonce: false, documents }))
            .valid,
    ];
    assert.deepEqual(await verdicts([listing('assertionMethod')]), [true, false]);
    assert.deepEqual(await verdicts([listing('authentication')]), [false, true]);
});

it('a document is read in linear time, and one with more than 1,000 keys or ids is not read', () => {
    const methods = (count: number) => Array.from({ length: count }, (_, index) => method(kid, { id: `#${index}` }));
    const ids = (count: number) => Array.from({ length: count }, (_, index) => `#${count - index - 1}`);
    assert.equal(faultOf({ verificationMethod: methods(1_000), assertionMethod: ids(1_000) }), undefined);
    const unread = 'The keys of the issuer are not known.';
    assert.equal(faultOf({ verificationMethod: methods(1_001), assertionMethod: ['#0'] }), unread);
    assert.equal(faultOf({ verificationMethod: methods(1), assertionMethod: ids(1_001) }), unread);
    const start = cpuMs();
    assert.equal(faultOf({ verificationMethod: methods(20_000), assertionMethod: ids(100_000) }), unread);
    assert.ok(cpuMs() - start < 1_000);
});

it('of two methods with one id the first one counts', () => {
    const [first, second] = [method(other, { id: '#1' }), method(kid, { id: `${did}#1` })];
    assert.ok(faultOf({ verificationMethod: [first, second], assertionMethod: ['#1'] }));
    assert.equal(faultOf({ verificationMethod: [second, first], assertionMethod: ['#1'] }), undefined);
});
