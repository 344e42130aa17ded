import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Call, expectError, expectOk, send } from '../support/client.ts';
import { credentialsOf, database } from '../support/database.ts';
import {
    type Did,
    issue,
    issueBody,
    newAccount,
    newDid,
    newKey,
    newWallet,
    presentationBody,
} from '../support/world.ts';

const db = await database('did');
const uuidIn = (urn: string): string => urn.slice('urn:uuid:'.length);

const post = (path: string, body?: unknown): Call => ({
    method: 'POST',
    path: `/internal/v1${path}`,
    internal: true,
    body,
});
const ownDid = (): Promise<Did> => expectOk(201, post('/did'));

async function ownIssued() {
    const issuer = await ownDid();
    const issued = await expectOk(201, post('/credentials', issueBody(issuer, 'did:web:subject.example')));
    return { did: issuer.did, ...issued };
}

const account = await newAccount();
const { api_key } = await newKey(account);

describe('an object that a trusted caller creates without X-On-Behalf-Of', () => {
    it('has no owner and is in no account’s lists', async () => {
        const { did, credential_id } = await ownIssued();
        const holder = await ownDid();
        const { credential } = await ownIssued();
        const made = await expectOk(201, post('/presentations', presentationBody(holder, [credential])));
        for (const [db, statement, id] of [
            [await database('did'), 'SELECT account FROM did.dids WHERE did = $1', did],
            [
                await credentialsOf({ id: uuidIn(credential_id) }),
                'SELECT account FROM credentials.credentials WHERE id = $1',
                uuidIn(credential_id),
            ],
            [
                await database('presentations'),
                'SELECT account FROM presentations.presentations WHERE id = $1',
                uuidIn(made.presentation_id),
            ],
        ] as const) {
            const { rows } = await db.query(statement, [id]);
            assert.deepEqual(rows, [{ account: null }], statement);
        }
        const list = await expectOk(200, { path: `/v1/credentials/by-issuer/${did}`, token: api_key });
        assert.deepEqual(list, { credentials: [], total: 0 });
    });

    it('verifies at the public endpoints, and an account’s object at the internal ones', async () => {
        const { did, credential } = await ownIssued();
        const body = { credential, issuer_did: did, check_revocation: true };
        const verified = await expectOk(200, post('/credentials/verify', body));
        assert.equal(verified.valid, true);
        const call = { method: 'POST', path: '/v1/credentials/verify', token: api_key, body };
        assert.deepEqual(await expectOk(200, call), verified);
        const issued = await issue(api_key, await newDid(api_key));
        const other = { credential: issued.credential, issuer_did: issued.issuer };
        assert.equal((await expectOk(200, post('/credentials/verify', other))).valid, true);
    });

    it('resolves at both endpoints if it is a DID, without a private key if the caller gave a public key', async () => {
        const { did, public_key } = await ownDid();
        assert.deepEqual(await expectOk(200, { path: `/v1/did/${did}`, token: api_key }), { did, public_key });
        const resolved = await expectOk(200, { path: `/internal/v1/did/${encodeURIComponent(did)}`, internal: true });
        assert.deepEqual(resolved, { did, public_key });
        assert.deepEqual(await expectOk(201, post('/did', { public_key })), { did, public_key });
    });

    it('can be revoked by trusted callers, once, but not by an account', async () => {
        const { did, credential_id, credential } = await ownIssued();
        const body = { issuer_did: did, reason: 'left' };
        const byAccount = { method: 'POST', path: `/v1/credentials/revoke/${credential_id}`, token: api_key, body };
        await expectError(403, byAccount);
        const revoked = await expectOk(200, post(`/credentials/revoke/${credential_id}`, body));
        assert.deepEqual([revoked.revoked, revoked.reason], [true, 'left']);
        const again = { ...body, reason: 'other' };
        assert.deepEqual(await expectOk(200, post(`/credentials/revoke/${credential_id}`, again)), revoked);
        const check = { credential, issuer_did: did, check_revocation: true };
        assert.equal((await expectOk(200, post('/credentials/verify', check))).revoked, true);
    });

    it('cannot be opened by an account if it is a wallet, but its DID resolves for everyone', async () => {
        const password = 'open sesame';
        const wallet = await expectOk(201, post('/wallets', { name: 'private', password }));
        const { wallet_id, did, public_key } = wallet;
        const opened = await expectOk(200, post('/wallets/open', { wallet_id, password }));
        const { private_key, credentials, ...shown } = opened;
        assert.deepEqual([shown, credentials], [wallet, []]);
        assert.equal(Buffer.from(private_key, 'base64').subarray(32).toString('base64'), public_key);
        await expectError(401, post('/wallets/open', { wallet_id, password: 'wrong' }));
        const body = { wallet_id, password };
        await expectError(404, { method: 'POST', path: '/v1/wallets/open', token: api_key, body });
        assert.deepEqual(await expectOk(200, { path: `/v1/did/${did}`, token: api_key }), { did, public_key });
    });

    it('can be presented, and its presentation verifies', async () => {
        const { credential } = await ownIssued();
        const holder = await ownDid();
        const body = presentationBody(holder, [credential], { nonce: 'n-1' });
        const { presentation, audience } = await expectOk(201, post('/presentations', body));
        const check = { presentation, audience, nonce: 'n-1', check_revocation: true };
        const verified = await expectOk(200, post('/presentations/verify', check));
        assert.deepEqual([verified.valid, verified.nonce_valid, verified.holder], [true, true, holder.did]);
    });
});

it('a trusted caller can revoke an account’s credential if it names the issuer', async () => {
    const did = await newDid(api_key);
    const { credential_id } = await issue(api_key, did);
    const other = await ownDid();
    await expectError(403, post(`/credentials/revoke/${credential_id}`, { issuer_did: other.did }));
    await expectOk(200, post(`/credentials/revoke/${credential_id}`, { issuer_did: did.did }));
});

it('a trusted caller can open an account’s wallet with its password', async () => {
    const { wallet_id, password } = await newWallet(api_key);
    assert.equal((await expectOk(200, post('/wallets/open', { wallet_id, password }))).wallet_id, wallet_id);
});

describe('an internal variant refuses the same calls as its public endpoint:', () => {
    const issuerDid = 'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK';
    const refused: Array<[name: string, status: number, call: Call]> = [
        ['a bad public key', 400, post('/did', { public_key: 'x' })],
        ['an issue request without a body', 400, post('/credentials')],
        ['a body that is not JSON', 400, post('/credentials', '{not json')],
        [
            'a credential that is not a token',
            400,
            post('/credentials/verify', { credential: 'x', issuer_did: issuerDid }),
        ],
        ['an empty presentation request', 400, post('/presentations', {})],
        [
            'a presentation that is not a token',
            400,
            post('/presentations/verify', { presentation: 'x', audience: issuerDid }),
        ],
        ['an unknown DID', 404, { path: `/internal/v1/did/${issuerDid}`, internal: true }],
        ['a path that is not a DID', 400, { path: '/internal/v1/did/x', internal: true }],
        ['a wallet without password', 400, post('/wallets', { name: 'private' })],
        ['an unknown wallet', 404, post('/wallets/open', { wallet_id: 'x', password: 'x' })],
        ['a bad credential id', 400, post('/credentials/revoke/x', { issuer_did: issuerDid })],
        [
            'an unknown credential',
            404,
            post('/credentials/revoke/urn:uuid:01890a5d-ac96-774b-bcce-b302099a8057', { issuer_did: issuerDid }),
        ],
    ];
    for (const [name, status, call] of refused) {
        it(`${status} for ${name}`, async () => void (await expectError(status, call)));
    }
});

it('internal calls have no rate limit, and do not count in that of a user', async () => {
    const { token } = await newAccount();
    const left = async () => Number((await send({ path: '/v1/me', token })).headers.get('x-ratelimit-remaining'));
    const before = await left();
    const answers = await Promise.all(Array.from({ length: 60 }, () => send({ ...post('/did'), token })));
    for (const { status, headers } of answers) {
        assert.equal(status, 201);
        assert.equal(headers.get('x-ratelimit-limit'), '1000000');
    }
    assert.equal(before - (await left()), 1);
});

it('internal calls neither need nor read a bearer token', async () => {
    const { did } = await expectOk(201, { ...post('/did'), token: 'nonsense' });
    const { did: other } = await expectOk(201, { ...post('/did'), token: api_key });
    const owners = await db.query('SELECT account FROM did.dids WHERE did = ANY($1)', [[did, other]]);
    assert.deepEqual(
        owners.rows.map((row) => row.account),
        [null, null],
    );
});
