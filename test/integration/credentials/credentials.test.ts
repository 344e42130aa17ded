import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { z } from 'zod';
import { parseJson } from '../../../platform/json.ts';
import { sql } from '../../../platform/postgres/db.ts';
import type { IssueRequest } from '../../../proto/gen/credentials/v1/credentials.ts';
import { OWN_CAUSE } from '../../../services/outbox/cause.ts';
import { encodeDidKey } from '../../../workers/crypto/did-key.ts';
import { generateKeyPair, secretKeyBytes } from '../../../workers/crypto/ed25519.ts';
import { testContext } from '../../support/harness.ts';
import { counted, internalContext, newParty, refuses, requestBy, shown, startIssuing } from './credentials.fixture.ts';

const { db, did, credentials, store, issuer, issue, verify } = await startIssuing();

async function storedRows(): Promise<number> {
    const [row] = await db.rows(
        sql.type(z.strictObject({ total: z.number() }))`SELECT count(*) AS total FROM credentials.credentials`,
    );
    return row?.total ?? 0;
}

const CLAIMS = [
    '{}',
    '{"b":1,"a":2,"10":3,"9":4}',
    '{ "big": 12345678901234567890, "one": 1.0, "e": 1E5 }',
    '{"__proto__":{"x":1},"constructor":null,"hasOwnProperty":[]}',
    '{"text":"\\u00e9 \u00e9 \u{1f600} \uffff \u202eabc","nested":{"deep":[[[{}]]]}}',
];

test('an issued credential verifies, and its claims come back unchanged', async () => {
    for (const claims of CLAIMS) {
        const issued = await issue({ claims, expiration_date: '2999-01-01T02:00:00+02:00' });
        assert.match(issued.credential_id, /^urn:uuid:[0-9a-f-]{36}$/);
        assert.deepEqual(shown(await verify(issued.credential)), {
            valid: true,
            issuer: issuer.did,
            subject: issuer.did,
            credential_type: 'EmploymentCredential',
            claims,
            issued_at: issued.issued_at,
            expires_at: '2999-01-01T00:00:00.000Z',
            revoked: false,
            expired: false,
        });
    }
});

test('the token contains the fields of the credential and nothing else', async () => {
    const issued = await issue({ claims: '{"a":1}', credential_type: '  Type "é"  ' });
    const body = Buffer.from(issued.credential.slice('v4.public.'.length), 'base64url').subarray(0, -64);
    assert.deepEqual(parseJson(body.toString(), { raw: new Set() }), {
        typ: 'credential',
        jti: issued.credential_id,
        iss: issuer.did,
        sub: issuer.did,
        credential_type: '  Type "é"  ',
        iat: issued.issued_at,
        claims: { a: 1 },
    });
    assert.equal('expires_at' in shown(issued), false);
});

test('claims, tokens and keys are not stored', async () => {
    const secret = 'only-in-the-token-4711';
    const issued = await issue({ claims: `{"a":"${secret}"}` });
    const dump = await db.rows(sql.type(z.strictObject({ row: z.string() }))`
        SELECT c::text AS row FROM credentials.credentials c UNION ALL SELECT d::text FROM credentials.deltas d`);
    const text = dump.map(({ row }) => row).join('\n');
    assert.ok(text.includes(issued.credential_id.slice('urn:uuid:'.length)));
    const key = Buffer.from(issuer.private_key.subarray(0, 32));
    for (const kept of [secret, issued.credential.slice(10, 60), key.toString('hex'), key.toString('base64')]) {
        assert.equal(text.includes(kept), false);
    }
});

test('a subject may have a DID of any method, up to the maximum length', async () => {
    const longest = `did:example:${randomBytes(506).toString('hex')}`;
    for (const subjectDid of ['did:web:example.com:user:alice', 'did:example:a%20b', longest]) {
        const { credential } = await issue({ subject_did: subjectDid });
        assert.equal((await verify(credential)).subject, subjectDid);
    }
});

test('fifty identical concurrent requests issue fifty credentials and count as fifty', async () => {
    const party = await newParty(did);
    const issued = await Promise.all(
        Array.from({ length: 50 }, () => credentials.issue(requestBy(party), party.context)),
    );
    assert.equal(new Set(issued.map((one) => one.credential_id)).size, 50);
    assert.equal(await counted(db, party.account, 'credentials_issued'), 50);
});

test('a credential that is issued for no account counts only for the platform', async () => {
    const beforeThat = await counted(db, null, 'credentials_issued');
    await credentials.issue(requestBy(issuer), internalContext());
    assert.equal(await counted(db, null, 'credentials_issued'), beforeThat + 1);
});

test('an invalid request is refused and leaves no row and no count', async () => {
    const other = generateKeyPair();
    const [rows, count] = [await storedRows(), await counted(db, issuer.account, 'credentials_issued')];
    const refused: Array<Partial<IssueRequest>> = [
        { issuer_did: '' },
        { issuer_did: 'did:web:example.com' },
        { issuer_did: encodeDidKey(other.public_key) },
        { issuer_private_key: new Uint8Array(0) },
        { issuer_private_key: secretKeyBytes(other.seed, other.public_key) },
        { issuer_private_key: Buffer.concat([issuer.private_key.subarray(0, 32), other.public_key]) },
        { subject_did: '' },
        { subject_did: 'alice' },
        { subject_did: `${issuer.did}#key` },
        { subject_did: `did:example:${'a'.repeat(2_048)}` },
        { subject_did: `did:example:${'a'.repeat(1_024 - 11)}` },
        { credential_type: '' },
        { credential_type: ' \n ' },
        { credential_type: 'x'.repeat(256) },
        { credential_type: 'a\0b' },
        { claims: '' },
        { claims: '[]' },
        { claims: 'null' },
        { claims: '{' },
        { claims: '{"a":1,"a":2}' },
        { claims: '{"a":1e400}' },
        { claims: '{"a":"\\u0000"}' },
        { claims: '{"a":"\\ud800"}' },
        { claims: '{},"iss":"did:key:zOther"' },
        { claims: '{}}' },
        { claims: `{"a":${'['.repeat(31)}${']'.repeat(31)}}` },
        { claims: `{"a":"${'x'.repeat(65_536 - 7)}"}` },
        { expiration_date: '' },
        { expiration_date: '2026-02-30' },
        { expiration_date: '9999-12-31T23:59:59-01:00' },
    ];
    for (const changes of refused) await refuses('invalid', issue(changes));
    assert.equal(await storedRows(), rows);
    assert.equal(await counted(db, issuer.account, 'credentials_issued'), count);
});

test('credentials with the largest and the most deeply nested claims verify', async () => {
    const deepest = `{"a":${'['.repeat(30)}${']'.repeat(30)}}`;
    const greatest = `{"a":"${'x'.repeat(65_536 - 8)}"}`;
    for (const claims of [deepest, greatest]) {
        assert.equal((await verify((await issue({ claims })).credential)).claims, claims);
    }
});

test('the private key is accepted in both forms, as 32 and as 64 bytes', async () => {
    const { credential } = await issue({ issuer_private_key: issuer.private_key.subarray(0, 32) });
    assert.equal((await verify(credential)).valid, true);
});

test('one row that PostgreSQL refuses does not fail the 31 other rows of its batch', async () => {
    const party = await newParty(did);
    const row = (index: number) => ({
        id: `0190a3c4-0000-7000-8000-${index.toString().padStart(12, '0')}`,
        account: party.account,
        issued_at: '2025-01-01T00:00:00.000Z',
        expires_at: undefined,
        issuer: party.did,
        subject: party.did,
        credential_type: index === 17 ? 'NUL \0' : 'T',
        cause: OWN_CAUSE,
    });
    const outcomes = await Promise.allSettled(Array.from({ length: 32 }, (_, index) => store.insert(row(index))));
    assert.deepEqual(
        outcomes.flatMap(({ status }, index) => (status === 'rejected' ? [index] : [])),
        [17],
    );
    assert.equal(await counted(db, party.account, 'credentials_issued'), 31);
});

test('a row that is inserted twice is stored and counted once', async () => {
    const party = await newParty(did);
    const row = {
        id: '0190a3c4-0000-7000-8000-00000000ffff',
        account: party.account,
        issued_at: '2025-01-01T00:00:00.000Z',
        expires_at: undefined,
        issuer: party.did,
        subject: party.did,
        credential_type: 'T',
        cause: OWN_CAUSE,
    };
    await Promise.all([store.insert(row), store.insert(row)]);
    await store.insert(row);
    assert.equal(await counted(db, party.account, 'credentials_issued'), 1);
});

test('the service answers a ping', async () => {
    assert.deepEqual(await credentials.ping({}, testContext()), {});
});
