import assert from 'node:assert/strict';
import { bound, digest, disclosure, jwt, partyWith, registered, sdJwt } from '../../../test/unit/tokens/sd-jwts.ts';
import { isSdJwt } from '../../../tokens/sd-jwt.ts';
import { type OpenedSdJwtVc, openSdJwtVc as openWith } from '../../../tokens/sd-jwt-vc.ts';
import { MAX_TOKEN_LENGTH } from '../../../tokens/v4-public.ts';
import { PRIMITIVES } from '../../../verify/src/primitives.ts';
import { openSdJwtVc } from '../../../workers/crypto/signature-jobs.ts';
import { target } from '../parsers/target.ts';

/** The same key in every run, so that the signature of a kept input stays valid. */
const issuer = partyWith({ private_key: Buffer.alloc(32, 7).toString('base64') });
const binding = { audience: 'https://verifier.example', nonce: 'n-1', now: Date.UTC(2026) };
const good = sdJwt({ issuer, claims: { role: 'engineer', list: [1, 2] }, disclosable: ['/role', '/list/0'] });
const held = sdJwt({ issuer, payload: { cnf: { jwk: issuer.jwk } } });

/** Fails unless the offline verifier reads the same, and every pointer leads to a claim. */
function checkOpened(opened: OpenedSdJwtVc, other: OpenedSdJwtVc): void {
    assert.deepEqual(other, opened);
    if (!opened.ok) return;
    const { claims, disclosed } = opened.credential;
    for (const pointer of disclosed) {
        const names = pointer.split('/').slice(1);
        names.reduce((value: unknown, written) => {
            const name = written.replaceAll('~1', '/').replaceAll('~0', '~');
            assert.ok(typeof value === 'object' && value !== null && Object.hasOwn(value, name), pointer);
            return (value as Record<string, unknown>)[name]; // an own member
        }, JSON.parse(claims));
    }
}

/** Service and offline verifier read each text in the same way, with and without a signature of a holder. */
export const sdJwtToken = target({
    name: 'sd-jwt-token',
    seeds: [
        good,
        held,
        bound(held, { holder: issuer }),
        `${jwt(issuer, { typ: 'dc+sd-jwt' }, registered(issuer))}~`,
        'e.e.e~',
    ],
    dictionary: ['~', '.', 'eyJ', '=', '_', '-', 'AAAA', '~AA~', disclosure(['salt', 'a', 1])],
    maxBytes: MAX_TOKEN_LENGTH + 1_024,
    parse(input) {
        const token = input.toString();
        return { alone: openSdJwtVc({ token }), held: openSdJwtVc({ token, binding }) };
    },
    check(input, opened) {
        const token = input.toString();
        if (!isSdJwt(token)) assert.ok(!opened.alone.ok && !opened.held.ok);
        checkOpened(opened.alone, openWith({ token }, PRIMITIVES));
        checkOpened(opened.held, openWith({ token, binding }, PRIMITIVES));
    },
});

const MEMBERS = JSON.stringify(registered(issuer)).slice(1, -1);
const NAME = '["salt","name",{"a":1}]';
const ITEM = '["salt",[1]]';
const digestOf = (text: string): string => digest(Buffer.from(text).toString('base64url'));

/** A good signature over any payload (the first line), with any disclosures (the other lines). */
export const sdJwtPayload = target({
    name: 'sd-jwt-payload',
    seeds: [
        `{${MEMBERS}}`,
        `{${MEMBERS},"_sd":["${digestOf(NAME)}"],"l":[{"...":"${digestOf(ITEM)}"}]}\n${NAME}\n${ITEM}`,
        `{${MEMBERS},"_sd_alg":"sha-256","a":{"_sd":["${digestOf(ITEM)}","x"]},"nbf":0}`,
    ],
    dictionary: [
        '"_sd":[',
        '"...":"',
        '"_sd_alg":"sha-256"',
        digestOf(NAME),
        digestOf(ITEM),
        NAME,
        ITEM,
        '\n',
        '{',
        '[',
        ':',
    ],
    maxBytes: 256 << 10,
    parse: (input) => openSdJwtVc({ token: tokenOf(input) }),
    check: (input, opened) => checkOpened(opened, openWith({ token: tokenOf(input) }, PRIMITIVES)),
});

function tokenOf(input: Buffer): string {
    const [payload = '', ...disclosures] = input
        .toString('latin1')
        .split('\n')
        .map((line) => encodedLine(line));
    const signed = `${Buffer.from('{"alg":"EdDSA","typ":"dc+sd-jwt"}').toString('base64url')}.${payload}`;
    return [`${signed}.${issuer.sign(signed)}`, ...disclosures, ''].join('~');
}

function encodedLine(line: string): string {
    return Buffer.from(line, 'latin1').toString('base64url');
}
