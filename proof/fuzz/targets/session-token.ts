import assert from 'node:assert/strict';
import { isUtf8 } from 'node:buffer';
import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { compactVerify, decodeProtectedHeader, importSPKI } from 'jose';
import { sessionTokenVerifier } from '../../../platform/access/session-token.ts';
import { target } from '../parsers/target.ts';

/** PKCS#8 of an Ed25519 seed: the same key in every run. */
const privateKey = createPrivateKey({
    key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.alloc(32, 9)]),
    format: 'der',
    type: 'pkcs8',
});
const pem = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString();
const otherKey = importSPKI(pem, 'EdDSA');
const KID = 'k1';
/** The time at which every token is verified, in seconds since 1970. */
const NOW_S = 1_800_000_000;
const verifier = sessionTokenVerifier({ keys: [{ kid: KID, public_key: pem }], clock: () => NOW_S * 1_000 });

const HEADER = `{"alg":"EdDSA","typ":"JWT","kid":"${KID}"}`;
const ID = '01a1faed-b50a-7000-8f70-7b9d71ab9b89';
const CLAIMS = `{"sub":"${ID}","email":"a@b.example","tier":"free","iat":${NOW_S - 9},"exp":${NOW_S + 9},"jti":"${ID}","sid":"${ID}","typ":"access"}`;

function tokenOf(header: Uint8Array, claims: Uint8Array): string {
    const signed = `${Buffer.from(header).toString('base64url')}.${Buffer.from(claims).toString('base64url')}`;
    return `${signed}.${sign(null, Buffer.from(signed), privateKey).toString('base64url')}`;
}

const GOOD = tokenOf(Buffer.from(HEADER), Buffer.from(CLAIMS));

/** Compares an accepted or expired token with the result of another implementation. */
async function judgeAccepted(token: string, verdict: ReturnType<typeof verifier.verify>): Promise<void> {
    if ('refused' in verdict && verdict.refused !== 'expired') return;
    const { payload } = await compactVerify(token, await otherKey, { algorithms: ['EdDSA', 'Ed25519'] });
    assert.equal(decodeProtectedHeader(token)['kid'], KID);
    if ('claims' in verdict) {
        const claims = JSON.parse(Buffer.from(payload).toString());
        assert.deepEqual({ ...verdict.claims }, claims);
        assert.ok(claims.exp > NOW_S && claims.iat <= NOW_S + 60 && claims.sid.length === 36);
    }
}

/** A text may be accepted only if another implementation verifies it. */
export const sessionToken = target({
    name: 'session-token',
    seeds: [
        GOOD,
        `${GOOD}=`,
        'a.b.c',
        'eyJhbGciOiJub25lIn0.e30.',
        tokenOf(Buffer.from('{"alg":"none"}'), Buffer.from('{}')),
    ],
    dictionary: ['.', '=', 'eyJhbGciOiJub25lIn0', 'e30', '-', '_', '..'],
    maxBytes: 8 << 10,
    parse: (input) => verifier.verify(input.toString('latin1'), 'access'),
    check: (input, verdict) => judgeAccepted(input.toString('latin1'), verdict),
});

/** A header and claims, separated by a line feed, signed with the right key. */
export const sessionClaims = target({
    name: 'session-claims',
    seeds: [
        `${HEADER}\n${CLAIMS}`,
        `{"alg":"none"}\n${CLAIMS}`,
        `{"alg":"EdDSA","kid":"${KID}","crit":["b64"],"b64":false}\n${CLAIMS}`,
        `${HEADER}\n[]`,
        `${HEADER}\nnull`,
    ],
    dictionary: [
        '"alg":"EdDSA"',
        '"alg":"HS256"',
        '"kid":',
        '"crit":["exp"],',
        '"iat":',
        '"exp":',
        '"sid":',
        '"nbf":',
        'null',
        '1e999',
        '[]',
        '{}',
        '"refresh"',
        '"__proto__":',
        '"kid":"__proto__"',
    ],
    maxBytes: 4 << 10,
    parse(input) {
        const end = input.indexOf('\n');
        const token = tokenOf(input.subarray(0, Math.max(end, 0)), input.subarray(end + 1));
        return { token, verdict: verifier.verify(token, 'either') };
    },
    // Only the other implementation refuses bytes that are not UTF-8. Nobody except identity can sign such bytes.
    check: (input, { token, verdict }) => (isUtf8(input) ? judgeAccepted(token, verdict) : undefined),
});
