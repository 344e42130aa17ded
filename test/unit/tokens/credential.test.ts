import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { AppError } from '../../../platform/errors.ts';
import { newId } from '../../../platform/ids.ts';
import { requireClaims, requireCredentialType, requireReason } from '../../../services/credentials/rules.ts';
import { CREDENTIAL_MEMBERS, type CredentialContent, readPayload, writePayload } from '../../../tokens/credential.ts';
import { credentialId, uuidOf } from '../../../tokens/credential-id.ts';
import { generateKey, openToken, signPayload } from '../../../workers/crypto/signature-jobs.ts';

const key = generateKey();

/** Signs a payload, opens its token and reads the payload again. */
function reread(payload: string): ReturnType<typeof readPayload> {
    const token = signPayload({ did: key.did, secretKey: key.seed, payload });
    const opened = openToken({ token, did: key.did, ...CREDENTIAL_MEMBERS });
    assert.ok(opened.ok, JSON.stringify(opened));
    return readPayload(opened);
}

function refuses(run: () => unknown): void {
    assert.throws(run, (error) => error instanceof AppError && error.kind === 'invalid');
}

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 80 }).filter((one) => !/^\s|\s$|\0/.test(one));

test('a payload that is read from its token is the one that was written, with the exact text of the claims', () => {
    const claims = fc.json({ maxDepth: 4 }).map((value) => `{ "value" :${value}}`);
    const content: fc.Arbitrary<CredentialContent> = fc.record(
        {
            credential_id: fc.constant(credentialId(newId())),
            issuer: fc.constant(key.did),
            kid: fc.constant(undefined),
            subject: fc.constantFrom(key.did, 'did:example:a%20b', 'did:web:example.com:user'),
            credential_type: text,
            issued_at: fc.constant('2025-01-01T00:00:00.000Z'),
            expires_at: fc.constantFrom(undefined, '2999-12-31T23:59:59.999Z'),
            claims: claims.filter((one) => !one.includes('\\u0000')),
        },
        { noNullPrototype: true },
    );
    fc.assert(fc.property(content, (written) => assert.deepEqual(reread(writePayload(written)), written)));
});

test('an invalid member of a payload is named', () => {
    const good = JSON.parse(
        writePayload({
            credential_id: credentialId(newId()),
            issuer: key.did,
            subject: key.did,
            credential_type: 'T',
            issued_at: '2025-01-01T00:00:00.000Z',
            expires_at: '2025-01-01T00:00:00.000Z',
            claims: '{}',
        }),
    );
    for (const name of Object.keys(good)) {
        assert.deepEqual(reread(JSON.stringify({ ...good, [name]: 5 })), { invalidField: name });
    }
});

test('claims that close their member early, or could not be read again, are refused', () => {
    for (const claims of ['{}', '{"a":[]}', '{"a":"}"}', '{"claims":{}}']) requireClaims(claims);
    for (const claims of ['{},"b":{}', '{},"claims":{}', '{}}', '{', '', '[]', '"x"', ' {}', '{} ']) {
        refuses(() => requireClaims(claims));
    }
});

test('a credential type has 1 to 255 characters, counted as code points, and is not blank', () => {
    for (const type of [' \tT\u00e9 \n', '\u{1f600}'.repeat(255)]) requireCredentialType(type);
    for (const type of ['', '  ', 'x'.repeat(256), '\u{1f600}'.repeat(256), 'a\0b', '\ud800', 'a\udc00b']) {
        refuses(() => requireCredentialType(type));
    }
});

test('a reason has up to 2,000 characters', () => {
    for (const reason of ['', 'x'.repeat(2_000), '\u{1f600}'.repeat(2_000)]) requireReason(reason);
    for (const reason of ['x'.repeat(2_001), '\u{1f600}'.repeat(2_001), '\0', '\ud800'])
        refuses(() => requireReason(reason));
});

test('a credential id is exactly urn:uuid: and a lower-case UUID', () => {
    const id = newId();
    assert.equal(uuidOf(credentialId(id)), id);
    for (const wrong of [id, `urn:uuid:${id.toUpperCase()}`, `URN:uuid:${id}`, `urn:uuid:${id} `, 'urn:uuid:', '']) {
        assert.equal(uuidOf(wrong), undefined);
    }
});
