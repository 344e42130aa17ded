import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { expectError, expectOk } from '../support/client.ts';
import { issueBody, newAccount, newDid, newKey, verify } from '../support/world.ts';

const { api_key: token } = await newKey(await newAccount());
const issuer = await newDid(token);

function issueUntil(expirationDate: unknown) {
    const body = issueBody(issuer, 'did:web:subject.example', { expiration_date: expirationDate });
    return { method: 'POST', path: '/v1/credentials', token, body };
}

describe('expiration_date', () => {
    for (const [text, utc] of [
        ['2999-12-31', '2999-12-31T00:00:00.000Z'],
        ['2999-12-31T23:59:59Z', '2999-12-31T23:59:59.000Z'],
        ['2999-12-31T23:59:59.5Z', '2999-12-31T23:59:59.500Z'],
        ['2999-12-31T23:59:59.123456789Z', '2999-12-31T23:59:59.123Z'],
        ['2999-06-01T00:30:00+02:00', '2999-05-31T22:30:00.000Z'],
        ['2999-06-01T00:30:00-0930', '2999-06-01T10:00:00.000Z'],
        ['2999-06-01T00:30+14', '2999-05-31T10:30:00.000Z'],
        ['2999-06-01t00:30:00z', '2999-06-01T00:30:00.000Z'],
        ['2096-02-29', '2096-02-29T00:00:00.000Z'],
        ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    ] as const) {
        it(`${text} is returned as ${utc}`, async () => {
            const { expires_at, credential, credential_id } = await expectOk(201, issueUntil(text));
            assert.equal(expires_at, utc);
            const result = await verify(token, credential, issuer.did);
            assert.deepEqual([result.valid, result.expired, result.expires_at], [true, false, utc]);
            const { credentials } = await expectOk(200, { path: `/v1/credentials/by-issuer/${issuer.did}`, token });
            const listed = credentials.find((row: { credential_id: string }) => row.credential_id === credential_id);
            assert.equal(listed.expires_at, utc);
        });
    }

    for (const text of ['2001-01-01', '1969-12-31T23:59:59Z', '0001-01-01T00:00:00Z', new Date().toISOString()]) {
        it(`${text.slice(0, 10)} is in the past, and is accepted`, async () => {
            const { credential, issued_at, expires_at } = await expectOk(201, issueUntil(text));
            assert.deepEqual(await verify(token, credential, issuer.did), {
                valid: false,
                issuer: issuer.did,
                subject: 'did:web:subject.example',
                credential_type: 'EmploymentCredential',
                issued_at,
                expires_at,
                revoked: false,
                expired: true,
                error: 'The credential has expired.',
            });
        });
    }

    for (const value of [
        '',
        ' ',
        'x',
        'tomorrow',
        '2026',
        '2026-01',
        '2026-1-1',
        '20260101',
        '2026-W01-1',
        '2026-001',
        '2026-02-29',
        '2026-02-30T00:00:00Z',
        '2026-13-01',
        '2026-00-01',
        '2026-01-00',
        '2026-01-32',
        '2026-01-01T24:00:00Z',
        '2026-01-01T00:60:00Z',
        '2026-01-01T00:00:60Z',
        '2026-01-01T00:00:00',
        '2026-01-01 00:00:00Z',
        '2026-01-01T00:00:00+24:00',
        '2026-01-01T00:00:00+1',
        '2026-01-01T00:00:00ZZ',
        '2026-01-01T00:00:00Z ',
        '\n2026-01-01',
        '10000-01-01T00:00:00Z',
        '9999-12-31T23:59:59-01:00',
        '0001-01-01T00:00:00+01:00',
        '0000-01-01',
        '-2026-01-01T00:00:00Z',
        '+275760-09-14T00:00:00Z',
        '1767225600',
        'Thu, 01 Jan 2026 00:00:00 GMT',
        '\u0662\u0660\u0662\u0666-01-01',
        1_767_225_600,
        true,
        {},
        [],
        ['2030-01-01'],
    ]) {
        it(`${JSON.stringify(value)} is refused`, async () => {
            assert.match((await expectError(400, issueUntil(value))).body.error, /expiration_date/);
        });
    }
});
