import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync, randomUUID, sign as signBytes } from 'node:crypto';
import { test } from 'node:test';
import { exportSPKI, importPKCS8, importSPKI, jwtVerify, SignJWT } from 'jose';
import { sessionTokenVerifier } from '../../../../platform/access/session-token.ts';
import { tokens } from '../../../../services/identity/tokens.ts';

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const newPair = () => generateKeyPairSync('ed25519');
const pair = newPair();
const pem = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const nowS = Math.floor(Date.now() / 1_000);
const time = { now_ms: nowS * 1_000 };
const clock = () => time.now_ms;
const issuer = tokens({ keysPem: pem, accessSeconds: 600, refreshSeconds: 3_600, clock });
const signingKey = issuer.signingKeys[0] ?? assert.fail('there is no signing key');
/** A verifier with public keys only, as in a gateway. */
const verifier = sessionTokenVerifier({ keys: issuer.signingKeys, clock });

const subject = { user_id: randomUUID(), email: 'ada@example.org', tier: 'free', session_id: randomUUID() };
const issued = issuer.issue(subject);
const { user_id: sub, session_id: sid, ...account } = subject;
const goodClaims = { sub, ...account, iat: nowS, exp: nowS + 600, jti: randomUUID(), sid, typ: 'access' };
const goodHeader = { alg: 'EdDSA', typ: 'JWT', kid: signingKey.kid };

const encode = (part: unknown): string =>
    Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url');

/** A token with these parts, properly signed with the service's own key. */
function craft(header: unknown, claims: unknown, key = pair.privateKey): string {
    const input = `${encode(header)}.${encode(claims)}`;
    return `${input}.${signBytes(null, Buffer.from(input), key).toString('base64url')}`;
}

const verdictOf = (token: string) => {
    const verdict = verifier.verify(token, 'access');
    return 'claims' in verdict ? 'good' : verdict.refused;
};

test('an issued token verifies as its own type only', () => {
    assert.equal(verdictOf(issued.token), 'good');
    assert.equal(verdictOf(issued.refresh_token), 'invalid');
    for (const [token, typ] of [
        [issued.refresh_token, 'refresh'],
        [issued.token, 'either'],
        [issued.refresh_token, 'either'],
    ] as const) {
        assert.ok('claims' in verifier.verify(token, typ));
    }
    assert.ok(!('claims' in verifier.verify(issued.token, 'refresh')));
});

test('expires_at and session_expires_at are the exp claims, in whole seconds', () => {
    const expOf = (token: string) => {
        const verdict = verifier.verify(token, 'either');
        return 'claims' in verdict ? new Date(verdict.claims.exp * 1_000).toISOString() : undefined;
    };
    assert.match(issued.expires_at, /\.000Z$/);
    assert.equal(issued.expires_at, expOf(issued.token));
    assert.equal(issued.session_expires_at, expOf(issued.refresh_token));
});

test('another library verifies our tokens, and its tokens verify here', async () => {
    const { payload } = await jwtVerify(issued.token, await importSPKI(signingKey.public_key, 'EdDSA'), {
        algorithms: ['EdDSA'],
    });
    assert.equal(payload.sub, subject.user_id);
    const foreign = await new SignJWT(goodClaims).setProtectedHeader(goodHeader).sign(await importPKCS8(pem, 'EdDSA'));
    assert.equal(verdictOf(foreign), 'good');
});

test('a token with another last character in any segment does not verify', () => {
    for (let index = 0; index < 100; index++) {
        const parts = issuer.issue(subject).token.split('.');
        for (const [at, part] of parts.entries()) {
            for (const last of BASE64URL) {
                if (part.endsWith(last)) continue;
                assert.notEqual(verdictOf(parts.with(at, part.slice(0, -1) + last).join('.')), 'good');
            }
        }
    }
});

test('a token verifies only in its exact spelling', () => {
    const [header = '', claims = '', signature = ''] = issued.token.split('.');
    const respelled = [
        `${issued.token}=`,
        `${issued.token}\n`,
        ` ${issued.token}`,
        `${issued.token}.`,
        `${issued.token}.${signature}`,
        `${header}.${claims}.`,
        `${header}.${claims}`,
        `${header}.${claims} .${signature}`,
        `.${claims}.${signature}`,
        issued.token.replaceAll('-', '+').replaceAll('_', '/').concat('=='),
        '',
        '..',
    ];
    for (const token of respelled) assert.equal(verdictOf(token), 'invalid', token);
});

test('only EdDSA is accepted, whatever the header says', () => {
    for (const alg of ['none', 'None', 'nOnE', '', 'HS256', 'RS256', 'ES256', 'eddsa', 'Ed25519', null, ['EdDSA'], 5]) {
        assert.equal(verdictOf(craft({ ...goodHeader, alg }, goodClaims)), 'invalid', String(alg));
    }
    const { alg: _, ...without } = goodHeader;
    assert.equal(verdictOf(craft(without, goodClaims)), 'invalid');
    const unsigned = `${encode({ ...goodHeader, alg: 'none' })}.${encode(goodClaims)}.`;
    assert.equal(verdictOf(unsigned), 'invalid');
});

test('a key that the token contains or points to is not used', () => {
    const attacker = newPair();
    const jwk = attacker.publicKey.export({ format: 'jwk' });
    const lures = { jwk, jku: 'https://127.0.0.1:1/keys', x5u: 'https://127.0.0.1:1/cert', x5c: ['AAAA'] };
    assert.equal(verdictOf(craft({ ...goodHeader, ...lures }, goodClaims, attacker.privateKey)), 'invalid');
    assert.equal(verdictOf(craft({ ...goodHeader, ...lures }, goodClaims)), 'good');
    for (const other of ['../../dev/null', '__proto__', 'constructor', '', 5, null, undefined]) {
        assert.equal(verdictOf(craft({ ...goodHeader, kid: other }, goodClaims)), 'unknown_key', String(other));
    }
});

test('a token with crit is refused, even if it is an empty list or null', () => {
    for (const crit of [['exp'], ['b64'], [], null, 'x']) {
        assert.equal(verdictOf(craft({ ...goodHeader, crit, b64: false }, goodClaims)), 'invalid');
    }
});

test('a token expires at its exp, without leeway', (context) => {
    context.after(() => {
        time.now_ms = nowS * 1_000;
    });
    const token = craft(goodHeader, { ...goodClaims, exp: nowS + 10 });
    time.now_ms = (nowS + 10) * 1_000 - 1;
    assert.equal(verdictOf(token), 'good');
    time.now_ms += 1;
    assert.equal(verdictOf(token), 'expired');
});

test('an expired token with a bad signature is invalid, and not just expired', () => {
    const expired = { ...goodClaims, exp: nowS - 10 };
    assert.equal(verdictOf(craft(goodHeader, expired)), 'expired');
    assert.equal(verdictOf(craft(goodHeader, expired, newPair().privateKey)), 'invalid');
});

test('a token with an iat in the future is accepted up to a minute of clock skew', () => {
    assert.equal(verdictOf(craft(goodHeader, { ...goodClaims, iat: nowS + 60 })), 'good');
    assert.equal(verdictOf(craft(goodHeader, { ...goodClaims, iat: nowS + 61 })), 'invalid');
});

test('a token with an nbf in the future is accepted up to a minute of clock skew', () => {
    for (const nbf of [nowS - 1_000, nowS, nowS + 60]) {
        assert.equal(verdictOf(craft(goodHeader, { ...goodClaims, nbf })), 'good', `${nbf}`);
    }
    for (const nbf of [nowS + 61, nowS + 1_000, 'soon', null, 1.5, {}]) {
        assert.equal(verdictOf(craft(goodHeader, { ...goodClaims, nbf })), 'invalid', `${nbf}`);
    }
});

test('each claim must be present and of its type', () => {
    for (const name of Object.keys(goodClaims)) {
        for (const value of [undefined, null, {}, [], true, '', 1.5]) {
            if (value === '' && (name === 'email' || name === 'tier')) continue;
            assert.equal(verdictOf(craft(goodHeader, { ...goodClaims, [name]: value })), 'invalid', `${name} ${value}`);
        }
    }
    for (const exp of ['9999999999', 1e300, -1.5]) {
        assert.equal(verdictOf(craft(goodHeader, { ...goodClaims, exp })), 'invalid');
    }
});

test('a token with a part that is no JSON object, or that is too long, is refused', () => {
    for (const claims of ['null', '[]', '5', '"x"', '{', '']) {
        assert.equal(verdictOf(craft(goodHeader, claims)), 'invalid');
    }
    for (const header of ['null', '[]', '{', '5']) assert.equal(verdictOf(craft(header, goodClaims)), 'invalid');
    const padded = (length: number) => craft({ ...goodHeader, x: 'x'.repeat(length) }, goodClaims);
    assert.equal(verdictOf(padded(2_000)), 'good');
    assert.equal(verdictOf(padded(4_096)), 'invalid');
});

test('changed claims do not verify', () => {
    const [header, , signature] = issued.token.split('.');
    const raised = encode({ ...goodClaims, tier: 'enterprise' });
    assert.equal(verdictOf(`${header}.${raised}.${signature}`), 'invalid');
});

test('the first key signs and all keys verify', () => {
    const second = newPair().privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const lifetimes = { accessSeconds: 60, refreshSeconds: 60, clock };
    const rotated = tokens({ keysPem: `${second}\n${pem}`, ...lifetimes });
    assert.equal(rotated.signingKeys[1]?.kid, signingKey.kid);
    assert.ok('claims' in rotated.verify(issued.token, 'access'));
    assert.deepEqual(verifier.verify(rotated.issue(subject).token, 'access'), { refused: 'unknown_key' });
});

test('signing keys must be Ed25519 keys, and there must be at least one', () => {
    const lifetimes = { accessSeconds: 60, refreshSeconds: 60, clock };
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey;
    const curve = generateKeyPairSync('ed448').privateKey;
    for (const key of [rsa, curve]) {
        const keysPem = pem + key.export({ type: 'pkcs8', format: 'pem' });
        assert.throws(() => tokens({ keysPem, ...lifetimes }), /Ed25519/);
    }
    assert.throws(() => tokens({ keysPem: '', ...lifetimes }), /JWT_KEYS must hold Ed25519 keys/);
    assert.throws(() => tokens({ keysPem: signingKey.public_key, ...lifetimes }), /JWT_KEYS must hold Ed25519 keys/);
});

test('a listed signing key contains only the public key', async () => {
    const exported = await exportSPKI(createPublicKey(pem));
    assert.equal(signingKey.public_key.trim(), exported.trim());
    assert.deepEqual(Object.keys(signingKey).sort(), ['kid', 'public_key']);
});
