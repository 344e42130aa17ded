import assert from 'node:assert/strict';
import { createHmac, createPublicKey, generateKeyPairSync, type KeyLike, sign } from 'node:crypto';
import { describe, it } from 'node:test';
import { expectError, expectOk, send } from '../support/client.ts';
import { type Account, newAccount } from '../support/world.ts';

type Json = Record<string, unknown>;

const account = await newAccount();
const other = await newAccount();
const signingPem = process.env['E2E_JWT_KEYS'] ?? assert.fail('E2E_JWT_KEYS is not set');
const publicKey = createPublicKey(signingPem);
const foreignKey = generateKeyPairSync('ed25519').privateKey;
const ownJwk = createPublicKey(foreignKey).export({ format: 'jwk' });

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const decode = (segment: string): Json => JSON.parse(Buffer.from(segment, 'base64url').toString());

function parts(token: string) {
    const [header = '', payload = '', signature = ''] = token.split('.');
    return { header: decode(header), payload: decode(payload), signature };
}

function signed(header: unknown, payload: unknown, key: KeyLike = signingPem): string {
    const text = `${encode(header)}.${encode(payload)}`;
    return `${text}.${sign(null, Buffer.from(text), key).toString('base64url')}`;
}

function hmac(header: unknown, payload: unknown, secret: string | Buffer): string {
    const text = `${encode(header)}.${encode(payload)}`;
    return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}

/** Each function takes a valid token and returns a forged one that must be refused. */
const FORGERIES: Record<string, (token: string) => string> = {
    ...Object.fromEntries(
        ['none', 'None', 'NONE', 'nOnE', ''].flatMap((alg) => [
            [`alg "${alg}" without signature`, (token: string) => unsigned(token, { alg })],
            [
                `alg "${alg}" with the old signature`,
                (token: string) => unsigned(token, { alg }) + parts(token).signature,
            ],
        ]),
    ),
    'alg EdDSA in lower case': (token) => resigned(token, { alg: 'eddsa' }),
    'alg Ed25519': (token) => resigned(token, { alg: 'Ed25519' }),
    'no alg': (token) => resigned(token, { alg: undefined }),
    'an alg that is not a string': (token) => resigned(token, { alg: ['EdDSA'] }),
    'HS256 with the public key in PEM': (token) => asHmac(token, publicKey.export({ type: 'spki', format: 'pem' })),
    'HS256 with the public key in DER': (token) => asHmac(token, publicKey.export({ type: 'spki', format: 'der' })),
    'HS256 with the raw public key': (token) =>
        asHmac(token, publicKey.export({ type: 'spki', format: 'der' }).subarray(-32)),
    'HS256 with an empty secret': (token) => asHmac(token, ''),
    'HS256 with the key id': (token) => asHmac(token, String(parts(token).header['kid'])),
    'another key under the same kid': (token) => resigned(token, {}, foreignKey),
    'another key under its own kid': (token) => resigned(token, { kid: 'mine' }, foreignKey),
    'another key in jwk': (token) => resigned(token, { jwk: ownJwk }, foreignKey),
    'another key in jwk, without kid': (token) => resigned(token, { kid: undefined, jwk: ownJwk }, foreignKey),
    'another key at the URL in jku': (token) =>
        resigned(token, { jku: 'http://127.0.0.1:9/jwks', kid: 'mine' }, foreignKey),
    'another key at the URL in x5u': (token) =>
        resigned(token, { x5u: 'http://127.0.0.1:9/x5u', kid: 'mine' }, foreignKey),
    'a path as kid': (token) => resigned(token, { kid: '../../dev/null' }, foreignKey),
    'SQL as kid': (token) => resigned(token, { kid: "x' UNION SELECT 'key" }, foreignKey),
    '__proto__ as kid': (token) => resigned(token, { kid: '__proto__' }, foreignKey),
    'a number as kid': (token) => resigned(token, { kid: 0 }, foreignKey),
    'null as kid': (token) => resigned(token, { kid: null }, foreignKey),
    'no kid': (token) => resigned(token, { kid: undefined }),
    'a critical extension': (token) => resigned(token, { crit: ['b64'], b64: true }),
    'a changed tier': (token) => repaid(token, { tier: 'enterprise' }),
    'a changed subject': (token) => repaid(token, { sub: other.user_id }),
    'a later exp': (token) => repaid(token, { exp: 9_999_999_999 }),
    'an exp in the past': (token) => resigned(token, {}, signingPem, { exp: seconds() - 1 }),
    'an exp of the current second': (token) => resigned(token, {}, signingPem, { exp: seconds() }),
    'no exp': (token) => resigned(token, {}, signingPem, { exp: undefined }),
    'an exp that is a string': (token) => resigned(token, {}, signingPem, { exp: '9999999999' }),
    'an iat in the future': (token) => resigned(token, {}, signingPem, { iat: seconds() + 3_600 }),
    'no session': (token) => resigned(token, {}, signingPem, { sid: undefined }),
    'a session that is not an id': (token) => resigned(token, {}, signingPem, { sid: "' OR 1=1" }),
    'no type': (token) => resigned(token, {}, signingPem, { typ: undefined }),
    'a type in upper case': (token) => resigned(token, {}, signingPem, { typ: 'ACCESS' }),
    'a payload that is an array': (token) => signed(parts(token).header, []),
    'a payload that is null': (token) => signed(parts(token).header, null),
    'a payload that is not JSON': (token) => token.replace(/\.[^.]+\./, '.bm8gSlNPTg.'),
    'no signature': (token) => token.replace(/[^.]+$/, ''),
    'two segments': (token) => token.replace(/\.[^.]+$/, ''),
    'four segments': (token) => `${token}.AAAA`,
    'a fourth, empty segment': (token) => `${token}.`,
    padding: (token) => `${token}==`,
    'a blank inside': (token) => token.replace('.', '. '),
    'the signature of another token': (token) => token.replace(/[^.]+$/, parts(other.token).signature),
    'a signature of zeros': (token) => token.replace(/[^.]+$/, Buffer.alloc(64).toString('base64url')),
    'a truncated signature': (token) => token.slice(0, -4),
    'the five parts of a JWE': (token) => `${token}.AAAA.AAAA`,
};

const seconds = (): number => Math.floor(Date.now() / 1_000);

function unsigned(token: string, header: Json): string {
    return `${encode({ ...parts(token).header, ...header })}.${token.split('.')[1]}.`;
}
function resigned(token: string, header: Json, key: KeyLike = signingPem, payload: Json = {}): string {
    const old = parts(token);
    return signed({ ...old.header, ...header }, { ...old.payload, ...payload }, key);
}
function repaid(token: string, payload: Json): string {
    const [header, , signature] = token.split('.');
    return `${header}.${encode({ ...parts(token).payload, ...payload })}.${signature}`;
}
function asHmac(token: string, secret: string | Buffer): string {
    const { header, payload } = parts(token);
    return hmac({ ...header, alg: 'HS256' }, payload, secret);
}

const internalPost = (path: string, body: unknown) => ({ method: 'POST', path, internal: true, body });
const refused = {
    bearer: (token: string) => expectError(401, { path: '/v1/me', token }),
    introspection: (token: string) => expectError(401, { path: '/internal/v1/auth/me', internal: true, token }),
    logout: (token: string) => expectError(400, internalPost('/internal/v1/auth/logout', { token })),
    refresh: (refreshToken: string) =>
        expectError(401, internalPost('/internal/v1/auth/refresh', { refresh_token: refreshToken })),
};

describe('a session token is refused as a bearer, in a logout and in a refresh if it has', () => {
    for (const [name, forge] of Object.entries(FORGERIES)) {
        it(name, async () => {
            // In a header field, a token with a blank inside counts as two tokens.
            await refused.bearer(forge(account.token));
            await refused.introspection(forge(account.token));
            await refused.logout(forge(account.token));
            await refused.logout(forge(account.refresh_token));
            await refused.refresh(forge(account.refresh_token));
        });
    }

    it('any other last character', async () => {
        const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
        for (const last of alphabet) {
            if (last !== account.token.at(-1)) await refused.bearer(account.token.slice(0, -1) + last);
            if (last !== account.refresh_token.at(-1)) await refused.refresh(account.refresh_token.slice(0, -1) + last);
        }
    });
});

it('the tokens that the forged ones were made from are still valid', async () => {
    await expectOk(200, { path: '/v1/me', token: account.token });
    await expectOk(200, internalPost('/internal/v1/auth/refresh', { refresh_token: account.refresh_token }));
});

it('a refresh token does not authenticate, and an access token does not refresh', async () => {
    const { token, refresh_token } = await newAccount();
    await refused.bearer(refresh_token);
    await refused.introspection(refresh_token);
    await refused.refresh(token);
});

it('a correctly signed token of a session that never existed is refused', async () => {
    const { payload } = parts(account.token);
    await refused.bearer(
        resigned(account.token, {}, signingPem, { sid: `${String(payload['sid']).slice(0, -4)}0000` }),
    );
});

it('tier and email address come from the account, not from the token', async () => {
    const stale = (whose: Account) =>
        resigned(whose.token, {}, signingPem, { tier: 'enterprise', email: 'someone.else@example.com' });
    const answer = await send({ path: '/v1/me', token: stale(account) });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('x-ratelimit-limit'), '600');
    assert.deepEqual([answer.data.tier, answer.data.email], ['free', account.email]);
    const key = { method: 'POST', path: '/v1/keys/generate', token: stale(account), body: { name: 'key' } };
    assert.equal((await expectOk(201, key)).tier, 'free');
});
