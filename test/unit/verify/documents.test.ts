import assert from 'node:assert/strict';
import { it } from 'node:test';
import { signerFault } from '../../../verify/src/documents.ts';
import { verifyCredential } from '../../../verify/src/verify.ts';
import { newSigner } from './signed-lists.ts';

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
