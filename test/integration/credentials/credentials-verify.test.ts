import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../../platform/ids.ts';
import { newParty, refuses, shown, startIssuing } from './credentials.fixture.ts';

const { did, credentials, signatures, time, issuer, issue, verify } = await startIssuing();

/** Signs any payload with the issuer's key, as another program might. */
function foreign(payload: string): Promise<string> {
    return signatures.sign({ did: issuer.did, secretKey: issuer.private_key, payload });
}

test('an expired credential is not valid, but its issuer and subject are returned', async () => {
    const issued = await issue({ expiration_date: '2020-01-01' });
    const { error, ...rest } = shown(await verify(issued.credential));
    assert.equal(error, 'The credential has expired.');
    assert.deepEqual(rest, {
        valid: false,
        issuer: issuer.did,
        subject: issuer.did,
        credential_type: 'EmploymentCredential',
        issued_at: issued.issued_at,
        expires_at: '2020-01-01T00:00:00.000Z',
        revoked: false,
        expired: true,
    });
});

test('a credential expires at its expiration date, without leeway', async () => {
    const expiresMs = Date.now() + 3_600_000;
    const { credential } = await issue({ expiration_date: new Date(expiresMs).toISOString() });
    try {
        time.aheadMs = 3_595_000;
        assert.equal((await verify(credential)).expired, false);
        time.aheadMs = 3_600_001;
        assert.equal((await verify(credential)).expired, true);
    } finally {
        time.aheadMs = 0;
    }
});

test('a credential is valid one millisecond before its expiration date, and expired at that date', async (t) => {
    const expiresMs = Date.now() + 3_600_000;
    const { credential } = await issue({ expiration_date: new Date(expiresMs).toISOString() });
    const clock = t.mock.method(Date, 'now', () => expiresMs - 1);
    assert.equal((await verify(credential)).expired, false);
    clock.mock.mockImplementation(() => expiresMs);
    assert.equal((await verify(credential)).expired, true);
});

test('the revocation of a credential does not affect the credential of another issuer with the same id', async () => {
    const { credential, credential_id } = await issue();
    await credentials.revoke({ credential_id, issuer_did: issuer.did }, issuer.context);
    assert.equal((await verify(credential, { check_revocation: true })).revoked, true);
    const other = await newParty(did);
    const payload = {
        typ: 'credential',
        jti: credential_id,
        iss: other.did,
        sub: other.did,
        credential_type: 'T',
        iat: '2025-01-01T00:00:00Z',
        claims: {},
    };
    const reformatted = await signatures.sign({
        did: other.did,
        secretKey: other.private_key,
        payload: JSON.stringify(payload),
    });
    const { valid, revoked } = await verify(reformatted, { issuer_did: other.did, check_revocation: true });
    assert.deepEqual([valid, revoked], [true, false]);
});

test('a token that is not proven to be the issuer’s returns nothing but an error', async () => {
    const { credential } = await issue();
    const other = await newParty(did);
    const last = credential.at(-1) === 'A' ? 'B' : 'A';
    const broken = [
        `${credential.slice(0, -1)}${last}`,
        `${credential}.Zm9v`,
        `${credential.slice(0, 40)}A${credential.slice(41)}`,
    ];
    const outcomes = await Promise.all([
        ...broken.map((token) => verify(token)),
        verify(credential, { issuer_did: other.did, check_revocation: true }),
    ]);
    for (const { error, ...rest } of outcomes.map(shown)) {
        assert.ok(error);
        assert.deepEqual(rest, { valid: false, revoked: false, expired: false });
    }
});

test('verify throws only if the token is no v4.public token or the issuer is malformed', async () => {
    const { credential } = await issue();
    const malformed = [
        '',
        'v4.public.',
        'v4.public.AA',
        credential.replace('v4', 'V4'),
        credential.replace('v4', 'v3'),
    ];
    malformed.push(credential.replace('public', 'local'), `${credential}.a.b`, `${credential}=`, `${credential} `);
    for (const token of malformed) await refuses('invalid', verify(token));
    await refuses('invalid', verify(credential, { issuer_did: 'did:web:example.com' }));
});

test('a correctly signed payload that is no credential is not valid, and verify does not throw', async () => {
    const good = {
        typ: 'credential',
        jti: 'urn:uuid:0190a3c4-0000-7000-8000-000000000000',
        iss: issuer.did,
        sub: 'did:example:alice',
        credential_type: 'T',
        iat: '2025-01-01T00:00:00.000Z',
        exp: '2999-01-01T00:00:00.000Z',
        claims: {},
    };
    assert.equal((await verify(await foreign(JSON.stringify(good)))).valid, true);
    const invalidField: Array<Record<string, unknown>> = Object.keys(good)
        .filter((name) => name !== 'exp')
        .map((name) => ({ [name]: undefined }));
    invalidField.push({ typ: 'presentation' }, { typ: 5 }, { jti: 5 }, { jti: 'x' }, { jti: good.jti.toUpperCase() });
    invalidField.push({ iss: 5 }, { iss: (await newParty(did)).did }, { sub: {} }, { sub: 'alice' });
    invalidField.push({ credential_type: 5 }, { credential_type: '' }, { credential_type: 'x'.repeat(256) });
    invalidField.push({ iat: 5 }, { iat: '2025-01-01' }, { iat: '2025-02-30T00:00:00Z' }, { exp: 5 }, { exp: null });
    invalidField.push({ exp: 'soon' }, { exp: '2999-01-01' }, { claims: null }, { claims: [] }, { claims: 'x' });
    const payloads = invalidField.map((changes) => JSON.stringify({ ...good, ...changes }));
    payloads.push('[1]', '"x"', 'not json', '{"typ":"credential","typ":"credential"}', `{"a":${'['.repeat(50_000)}`);
    for (const payload of payloads) {
        const { error, ...rest } = shown(await verify(await foreign(payload.padEnd(30)), { check_revocation: true }));
        assert.ok(error, payload.slice(0, 200));
        assert.deepEqual(rest, { valid: false, revoked: false, expired: false });
    }
});

test('a credential that another program signed verifies by its key alone, and its times are normalised', async () => {
    const token = await foreign(
        JSON.stringify({
            claims: { a: 1 },
            extra: 'ignored',
            exp: '2998-12-31T23:00:00.5-01:00',
            iat: '2025-01-01T02:00:00+02:00',
            credential_type: 'T',
            sub: 'did:web:example.com',
            iss: issuer.did,
            jti: 'urn:uuid:9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d',
            typ: 'credential',
        }),
    );
    assert.deepEqual(shown(await verify(token, { check_revocation: true })), {
        valid: true,
        issuer: issuer.did,
        subject: 'did:web:example.com',
        credential_type: 'T',
        claims: '{"a":1}',
        issued_at: '2025-01-01T00:00:00.000Z',
        expires_at: '2999-01-01T00:00:00.500Z',
        revoked: false,
        expired: false,
    });
});

test('a credential that another program signed is not valid before its nbf time', async () => {
    const payload = {
        typ: 'credential',
        jti: `urn:uuid:${newId()}`,
        iss: issuer.did,
        sub: 'did:web:x',
        credential_type: 'X',
    };
    const token = (nbf: unknown) =>
        foreign(
            JSON.stringify({ ...payload, iat: '2020-01-01T00:00:00Z', claims: {}, ...(nbf !== undefined && { nbf }) }),
        );
    assert.equal((await verify(await token(undefined))).valid, true);
    assert.equal((await verify(await token('2020-01-01T00:00:00Z'))).valid, true);
    for (const nbf of ['2999-01-01T00:00:00Z', 1_577_836_800, 'soon']) {
        const { valid, error } = await verify(await token(nbf));
        assert.deepEqual([valid, error], [false, 'The credential is not valid yet.']);
    }
});
