import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, describe, it } from 'node:test';
import { status } from '@grpc/grpc-js';
import { call, closeClients, methodAt, type Outcome } from '../support/grpc.ts';
import { envelope, rawCall } from '../support/grpc-raw.ts';
import { issue, newAccount, newDid, newEmail, newKey, newWallet } from '../support/world.ts';

after(closeClients);
const account = await newAccount();
const issuer = await newDid(account.token);
const { credential } = await issue(account.token, issuer);
const wallet = await newWallet(account.token);
/** API keys of the account. Each can be rotated once. */
const keyIds: string[] = [];
for (let keys = 0; keys < 6; keys++) keyIds.push((await newKey(account)).key_id);
const secretKey = Buffer.from(issuer.private_key, 'base64');

interface Example {
    request: () => Record<string, unknown>;
    /** Another valid request. */
    other: Record<string, unknown>;
    /** Whether the call acts for the account. */
    own: boolean;
}

const issued = {
    issuer_did: issuer.did,
    issuer_private_key: secretKey,
    subject_did: 'did:web:subject.example',
    credential_type: 'EmploymentCredential',
    claims: '{"role":"engineer"}',
};
const item = { subject_did: issued.subject_did, credential_type: issued.credential_type, claims: issued.claims };
const batch = (items: object[]) => ({ issuer_did: issuer.did, issuer_private_key: secretKey, items });
const presented = {
    holder_did: issuer.did,
    holder_private_key: secretKey,
    credentials: [credential],
    audience: 'did:web:verifier.example',
};
const stored = { wallet_id: wallet.wallet_id, password: wallet.password, credential };
const password = 'correct horse battery';

const EXAMPLES: Record<string, Example> = {
    'credentials.v1.CredentialsService/Issue': {
        request: () => issued,
        other: { ...issued, claims: '{"role": "engineer"}' },
        own: true,
    },
    'credentials.v1.CredentialsService/IssueMany': {
        request: () => batch([item, { ...item, subject_did: 'nobody' }]),
        other: batch([{ ...item, claims: '{"role": "engineer"}' }]),
        own: true,
    },
    'presentations.v1.PresentationsService/Create': {
        request: () => presented,
        other: { ...presented, nonce: 'n' },
        own: true,
    },
    'did.v1.DidService/Create': { request: () => ({}), other: { public_key: Buffer.alloc(32, 9) }, own: true },
    'keys.v1.KeysService/Rotate': {
        request: () => ({ key_id: keyIds.pop() }),
        other: { key_id: keyIds[0], overlap_seconds: 5 },
        own: true,
    },
    'keys.v1.KeysService/Generate': { request: () => ({ name: 'a' }), other: { name: 'b' }, own: true },
    'wallet.v1.WalletService/Create': {
        request: () => ({ name: 'a', password: 'wallet password' }),
        other: { name: 'a', password: 'other password' },
        own: true,
    },
    'wallet.v1.WalletService/AddCredential': {
        request: () => stored,
        other: { ...stored, metadata: '{}' },
        own: true,
    },
    'identity.v1.IdentityService/Register': {
        request: () => ({ email: newEmail(), password }),
        other: { email: newEmail(), password },
        own: false,
    },
    'identity.v1.IdentityService/CreateUsers': {
        request: () => ({
            users: [
                { email: newEmail(), password },
                { email: 'nobody', password },
            ],
        }),
        other: { users: [{ email: newEmail(), password }] },
        own: false,
    },
};

const BAD_KEYS = { 'is empty': '', 'is too long': 'x'.repeat(256), 'has an unclosed quote': '"0123456789abcdef' };

function assertCode(outcome: Outcome, code: status): void {
    assert.equal(outcome.code, code, `${status[outcome.code]}: ${outcome.details}`);
}

for (const [name, { request, other, own }] of Object.entries(EXAMPLES)) {
    const make = (body: object, key: string, user = own ? account.user_id : undefined) =>
        call(name, body, { ...(user !== undefined && { user_id: user }), metadata: { 'idempotency-key': key } });

    describe(name, () => {
        it('returns the same answer for the same idempotency-key, and says so in a trailer', async () => {
            const [key, body] = [randomUUID(), request()];
            const first = await make(body, key);
            assertCode(first, status.OK);
            assert.equal(first.trailers['idempotent-replayed'], undefined);
            for (const spelling of [key, `"${key}"`]) {
                const again = await make(body, spelling);
                assertCode(again, status.OK);
                assert.deepEqual(again.response, first.response);
                assert.equal(again.trailers['idempotent-replayed'], 'true');
            }
        });

        it('refuses another request with the same idempotency-key', async () => {
            const key = randomUUID();
            assertCode(await make(request(), key), status.OK);
            const refusal = await make(other, key);
            assertCode(refusal, status.FAILED_PRECONDITION);
            assert.equal(refusal.trailers['error-kind'], 'unprocessable');
            assert.equal(refusal.details, 'This Idempotency-Key was used for another request.');
        });

        for (const [fault, key] of Object.entries(BAD_KEYS)) {
            it(`refuses an idempotency-key that ${fault}`, async () => {
                const refusal = await make(request(), key);
                assertCode(refusal, status.INVALID_ARGUMENT);
                assert.match(refusal.details, /^Idempotency-Key must /);
            });
        }
    });
}

it('an idempotency-key of another account is another key', async () => {
    const stranger = await newAccount();
    const metadata = { 'idempotency-key': randomUUID() };
    const name = 'credentials.v1.CredentialsService/Issue';
    const first = await call(name, issued, { user_id: account.user_id, metadata });
    const second = await call(name, issued, { user_id: stranger.user_id, metadata });
    assertCode(second, status.OK);
    assert.notEqual(second.response.credential_id, first.response.credential_id);
});

it('the methods whose answer has a secret need an idempotency-key of 16 characters', async () => {
    for (const [name, request] of [
        ['did.v1.DidService/Create', {}],
        ['keys.v1.KeysService/Generate', { name: 'a' }],
    ] as const) {
        const short = await call(name, request, {
            user_id: account.user_id,
            metadata: { 'idempotency-key': '0123456789abcde' },
        });
        assertCode(short, status.INVALID_ARGUMENT);
        assert.match(short.details, /at least 16 characters/);
    }
});

it('a method that creates nothing ignores the idempotency-key', async () => {
    const metadata = { 'idempotency-key': '"' };
    const outcome = await call('keys.v1.KeysService/List', { limit: 1 }, { user_id: account.user_id, metadata });
    assertCode(outcome, status.OK);
});

it('an idempotency-key that is sent twice is refused', async () => {
    const { path, requestSerialize } = methodAt('credentials.v1.CredentialsService/Issue');
    const body = envelope(requestSerialize(issued));
    const headers = { ':path': path, 'x-on-behalf-of': account.user_id };
    const twice = ['0123456789abcdef', '0123456789abcdef'];
    const { grpcStatus } = await rawCall(body, { ...headers, 'idempotency-key': twice });
    assert.equal(grpcStatus, status.INVALID_ARGUMENT);
    assert.equal((await rawCall(body, { ...headers, 'idempotency-key': 'a' })).grpcStatus, status.OK);
});
