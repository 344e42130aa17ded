import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isIssuerWebDid, kidFault, readSigner } from '../../../tokens/web-did.ts';

const ID = '01a1fac9-0ec3-7000-8c5d-2f7b9e0a6c11';
const DID = `did:web:credentials.example:issuers:${ID}`;
const KID = 'z6MkvDqGT54cXesYGvABpF1UapVNwjCqRcafi4Px6Thv5T3Z';
const OTHER = 'z6MkwVDfCg9LbbY6xjH3EZk8YSFQZujV5Y4y1ZWeER9tDiN3';

describe('the DID of a did:web issuer', () => {
    it('has a host, maybe a port and a path, and the id of an issuer', () => {
        const path = `${'a.b:c-d:_'}:issuers:${ID}`;
        for (const did of [DID, `did:web:localhost%3A8080:issuers:${ID}`, `did:web:a.example%3A1:${path}`]) {
            assert.ok(isIssuerWebDid(did), did);
        }
    });

    it('has no other form', () => {
        const others = [
            '',
            'did:web:credentials.example',
            `${DID} `,
            `x${DID}`,
            `${DID}#${KID}`,
            DID.toUpperCase(),
            DID.replace('did:web', 'did:key'),
            DID.replace('credentials.example', ''),
            DID.replace('credentials.example', 'localhost%3A'),
            DID.replace('credentials.example', 'localhost%3A123456'),
            DID.replace('credentials.example', 'a.example:'),
            DID.replace('issuers', 'users'),
            DID.replace('-7000-', '-4000-'),
            DID.replace('-8c5d-', '-cc5d-'),
            DID.slice(0, -1),
            `${DID}0`,
        ];
        for (const did of others) assert.equal(isIssuerWebDid(did), false, did);
    });

    it('has at most 512 characters', () => {
        const withHost = (length: number) => DID.replace('credentials.example', 'a'.repeat(length));
        const longest = 512 - DID.length + 'credentials.example'.length;
        assert.equal(withHost(longest).length, 512);
        assert.ok(isIssuerWebDid(withHost(longest)));
        assert.equal(isIssuerWebDid(withHost(longest + 1)), false);
    });
});

it('a signature counts only by a key of the issuer that is not compromised', () => {
    const issuer = { kids: [KID], compromised_kids: [OTHER] };
    assert.equal(kidFault(KID, issuer), undefined);
    assert.equal(kidFault(OTHER, issuer), 'The key that signed the token is compromised.');
    assert.equal(kidFault(`${KID}x`, issuer), 'The key that signed the token is not one of its issuer.');
    assert.equal(kidFault(KID, undefined), 'The keys of the issuer are not known.');
});

describe('who signed a payload', () => {
    it('is the did:key, whatever kid is', () => {
        for (const kid of [undefined, OTHER, 5, 'x']) {
            assert.deepEqual(readSigner(`did:key:${KID}`, kid), { did: `did:key:${KID}`, kid: undefined });
        }
    });

    it('is the did:web with the key that kid names', () => {
        assert.deepEqual(readSigner(DID, KID), { did: DID, kid: KID });
    });

    it('is unknown if iss is no issuer, or kid is no key', () => {
        for (const kid of [undefined, null, 5, '', 'z6Mk', `did:key:${KID}`])
            assert.equal(readSigner(DID, kid), undefined);
        for (const iss of [undefined, null, 5, '', 'did:web:credentials.example', `did:key:${KID}x`]) {
            assert.equal(readSigner(iss, KID), undefined);
        }
    });
});
