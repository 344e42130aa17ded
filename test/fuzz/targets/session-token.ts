import assert from 'node:assert/strict';
import { isUtf8 } from 'node:buffer';
import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { compactVerify, decodeProtectedHeader, importSPKI } from 'jose';
import { sessionTokenVerifier } from '../../../platform/access/session-token.ts';
import { target } from '../parsers/target.ts';

/** PKCS#8 of an Ed25519 seed: the same key in every run. */
const private_key = createPrivateKey({
    key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.alloc(32, 9)]),
    format: 'der',
    type: 'pkcs8',
});
const pem = createPublicKey(private_key).export({ type: 'spki', format: 'pem' }).toString();
const other_key = importSPKI(pem, 'EdDSA');
const KID = 'k1';
/** Every token is looked at in this second. */
const NOW_S = 1_800_000_000;
const verifier = sessionTokenVerifier({ keys: [{ kid: KID, public_key: pem }], clock: () => NOW_S * 1_000 });

const HEADER = `{"alg":"EdDSA","typ":"JWT","kid":"${KID}"}`;
const ID = '01a1faed-b50a-7000-8f70-7b9d71ab9b89';
const CLAIMS = `{"sub":"${ID}","email":"a@b.example","tier":"free","iat":${NOW_S - 9},"exp":${NOW_S + 9},"jti":"${ID}","sid":"${ID}","typ":"access"}`;

function tokenOf(header: Uint8Array, claims: Uint8Array): string {
    const signed = `${Buffer.from(header).toString('base64url')}.${Buffer.from(claims).toString('base64url')}`;
    return `${signed}.${sign(null, Buffer.from(signed), private_key).toString('base64url')}`;
}

const GOOD = tokenOf(Buffer.from(HEADER), Buffer.from(CLAIMS));

/** Holds a token that is accepted against what another implementation reads of it. */
async function judgeAccepted(token: string, verdict: ReturnType<typeof verifier.verify>): Promise<void> {
    if ('refused' in verdict && verdict.refused !== 'expired') return;
    const { payload } = await compactVerify(token, await other_key, { algorithms: ['EdDSA', 'Ed25519'] });
    assert.equal(decodeProtectedHeader(token)['kid'], KID);
    if ('claims' in verdict) {
        const claims = JSON.parse(Buffer.from(payload).toString());
        assert.deepEqual({ ...verdict.claims }, claims);
        assert.ok(claims.exp > NOW_S && claims.iat <= NOW_S + 60 && claims.sid.length === 36);
    }
}

/** Any text: it is accepted only if another implementation verifies it. */
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
    max_bytes: 8 << 10,
    parse: (input) => verifier.verify(input.toString('latin1'), 'access'),
    check: (input, verdict) => judgeAccepted(input.toString('latin1'), verdict),
});

/** Header and claims that the right key has signed, a line feed between them. */
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
    max_bytes: 4 << 10,
    parse(input) {
        const end = input.indexOf('\n');
        const token = tokenOf(input.subarray(0, Math.max(end, 0)), input.subarray(end + 1));
        return { token, verdict: verifier.verify(token, 'either') };
    },
    // Bytes that are no UTF-8 are refused by the other one alone; nobody but identity can sign them.
    check: (input, { token, verdict }) => (isUtf8(input) ? judgeAccepted(token, verdict) : undefined),
});
