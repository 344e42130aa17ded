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
const now_s = Math.floor(Date.now() / 1_000);
const time = { now_ms: now_s * 1_000 };
const clock = () => time.now_ms;
const issuer = tokens({ keys_pem: pem, access_seconds: 600, refresh_seconds: 3_600, clock });
const [signing_key] = issuer.signing_keys;
assert.ok(signing_key);
const { kid } = signing_key;
/** As a gateway has it: public keys only. */
const verifier = sessionTokenVerifier({ keys: issuer.signing_keys, clock });

const subject = { user_id: randomUUID(), email: 'ada@example.org', tier: 'free', session_id: randomUUID() };
const issued = issuer.issue(subject);
const good_claims = {
    sub: subject.user_id,
    email: subject.email,
    tier: 'free',
    iat: now_s,
    exp: now_s + 600,
    jti: randomUUID(),
    sid: subject.session_id,
    typ: 'access',
};
const good_header = { alg: 'EdDSA', typ: 'JWT', kid };

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

test('another library reads the tokens, and its tokens are read here', async () => {
    const { payload } = await jwtVerify(issued.token, await importSPKI(signing_key.public_key, 'EdDSA'), {
        algorithms: ['EdDSA'],
    });
    assert.equal(payload.sub, subject.user_id);
    const foreign = await new SignJWT(good_claims)
        .setProtectedHeader(good_header)
        .sign(await importPKCS8(pem, 'EdDSA'));
    assert.equal(verdictOf(foreign), 'good');
});

test('of a hundred tokens no other last character of any segment verifies', () => {
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

test('no spelling of a token but its own verifies', () => {
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

test('only EdDSA is taken, whatever the header says', () => {
    for (const alg of ['none', 'None', 'nOnE', '', 'HS256', 'RS256', 'ES256', 'eddsa', 'Ed25519', null, ['EdDSA'], 5]) {
        assert.equal(verdictOf(craft({ ...good_header, alg }, good_claims)), 'invalid', String(alg));
    }
    const { alg: _, ...without } = good_header;
    assert.equal(verdictOf(craft(without, good_claims)), 'invalid');
    const unsigned = `${encode({ ...good_header, alg: 'none' })}.${encode(good_claims)}.`;
    assert.equal(verdictOf(unsigned), 'invalid');
});

test('a key that the token brings along or points to is not looked at', () => {
    const attacker = newPair();
    const jwk = attacker.publicKey.export({ format: 'jwk' });
    const lures = { jwk, jku: 'https://127.0.0.1:1/keys', x5u: 'https://127.0.0.1:1/cert', x5c: ['AAAA'] };
    assert.equal(verdictOf(craft({ ...good_header, ...lures }, good_claims, attacker.privateKey)), 'invalid');
    assert.equal(verdictOf(craft({ ...good_header, ...lures }, good_claims)), 'good');
    for (const other of ['../../dev/null', '__proto__', 'constructor', '', 5, null, undefined]) {
        assert.equal(verdictOf(craft({ ...good_header, kid: other }, good_claims)), 'unknown_key', String(other));
    }
});

test('critical extensions are refused, an empty list and null too', () => {
    for (const crit of [['exp'], ['b64'], [], null, 'x']) {
        assert.equal(verdictOf(craft({ ...good_header, crit, b64: false }, good_claims)), 'invalid');
    }
});

test('a token ends at its exp, without leeway', (context) => {
    context.after(() => {
        time.now_ms = now_s * 1_000;
    });
    const token = craft(good_header, { ...good_claims, exp: now_s + 10 });
    time.now_ms = (now_s + 10) * 1_000 - 1;
    assert.equal(verdictOf(token), 'good');
    time.now_ms += 1;
    assert.equal(verdictOf(token), 'expired');
});

test('an expired token with a bad signature is not taken for a genuine one', () => {
    const expired = { ...good_claims, exp: now_s - 10 };
    assert.equal(verdictOf(craft(good_header, expired)), 'expired');
    assert.equal(verdictOf(craft(good_header, expired, newPair().privateKey)), 'invalid');
});

test('a token from the future is taken up to a minute of skew', () => {
    assert.equal(verdictOf(craft(good_header, { ...good_claims, iat: now_s + 60 })), 'good');
    assert.equal(verdictOf(craft(good_header, { ...good_claims, iat: now_s + 61 })), 'invalid');
});

test('a token that is not valid yet is taken up to a minute of skew', () => {
    for (const nbf of [now_s - 1_000, now_s, now_s + 60]) {
        assert.equal(verdictOf(craft(good_header, { ...good_claims, nbf })), 'good', `${nbf}`);
    }
    for (const nbf of [now_s + 61, now_s + 1_000, 'soon', null, 1.5, {}]) {
        assert.equal(verdictOf(craft(good_header, { ...good_claims, nbf })), 'invalid', `${nbf}`);
    }
});

test('each claim must be there and of its type', () => {
    for (const name of Object.keys(good_claims)) {
        for (const value of [undefined, null, {}, [], true, '', 1.5]) {
            if (value === '' && (name === 'email' || name === 'tier')) continue;
            assert.equal(
                verdictOf(craft(good_header, { ...good_claims, [name]: value })),
                'invalid',
                `${name} ${value}`,
            );
        }
    }
    for (const exp of ['9999999999', 1e300, -1.5]) {
        assert.equal(verdictOf(craft(good_header, { ...good_claims, exp })), 'invalid');
    }
});

test('what is no JSON object inside, or too long to be looked into, is refused', () => {
    for (const claims of ['null', '[]', '5', '"x"', '{', '']) {
        assert.equal(verdictOf(craft(good_header, claims)), 'invalid');
    }
    for (const header of ['null', '[]', '{', '5']) assert.equal(verdictOf(craft(header, good_claims)), 'invalid');
    const padded = (length: number) => craft({ ...good_header, x: 'x'.repeat(length) }, good_claims);
    assert.equal(verdictOf(padded(2_000)), 'good');
    assert.equal(verdictOf(padded(4_096)), 'invalid');
});

test('changed claims do not verify', () => {
    const [header, , signature] = issued.token.split('.');
    const raised = encode({ ...good_claims, tier: 'enterprise' });
    assert.equal(verdictOf(`${header}.${raised}.${signature}`), 'invalid');
});

test('the first key signs and all of them verify', () => {
    const second = newPair().privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const lifetimes = { access_seconds: 60, refresh_seconds: 60, clock };
    const rotated = tokens({ keys_pem: `${second}\n${pem}`, ...lifetimes });
    assert.equal(rotated.signing_keys[1]?.kid, kid);
    assert.ok('claims' in rotated.verify(issued.token, 'access'));
    assert.deepEqual(verifier.verify(rotated.issue(subject).token, 'access'), { refused: 'unknown_key' });
});

test('only Ed25519 keys are taken to sign with, and at least one', () => {
    const lifetimes = { access_seconds: 60, refresh_seconds: 60, clock };
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey;
    const curve = generateKeyPairSync('ed448').privateKey;
    for (const key of [rsa, curve]) {
        const keys_pem = pem + key.export({ type: 'pkcs8', format: 'pem' });
        assert.throws(() => tokens({ keys_pem, ...lifetimes }), /Ed25519/);
    }
    assert.throws(() => tokens({ keys_pem: '', ...lifetimes }), /no key/);
    assert.throws(() => tokens({ keys_pem: signing_key.public_key, ...lifetimes }), /no key/);
});

test('the listed key is the public half, and nothing more', async () => {
    const exported = await exportSPKI(createPublicKey(pem));
    assert.equal(signing_key.public_key.trim(), exported.trim());
    assert.deepEqual(Object.keys(signing_key).sort(), ['kid', 'public_key']);
});
