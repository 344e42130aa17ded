import { decodeBase64Url } from '../../../platform/base64.ts';
import { splitJws } from '../../../tokens/jws.ts';
import { isSdJwt, splitSdJwt } from '../../../tokens/sd-jwt.ts';
import { openSdJwtVc } from '../../../tokens/sd-jwt-vc.ts';
import { readStatusReference } from '../../../tokens/status-reference.ts';
import { decodeUtf8, PRIMITIVES } from '../../../verify/src/primitives.ts';
import { party, sdJwt } from '../../unit/tokens/sd-jwts.ts';
import { filled, letters, MIB, type Parser } from './parser-inputs.ts';

const shapes = {
    disclosures: filled('e.e.e~', 'AA~'),
    'empty disclosures': filled('e.e.e', '~'),
    'one long disclosure': filled('e.e.e~', 'A', '~'),
    'one long part': filled('', 'A', '.e.e~'),
    dots: filled('', 'a.'),
    'dots behind': filled('e.e.e~', '.'),
};

const issuer = party('ES256');
const signedWith = (claims: Record<string, unknown>, disclosable: readonly string[]): string =>
    sdJwt({ issuer, claims, disclosable });
/** Tokens with a good signature. Each has about `size` characters. */
const signed = {
    members: (size: number) => {
        const names = Array.from({ length: Math.min(1_000, size >> 8) }, (_, i) => `k${i}`);
        const value = 'x'.repeat(Math.floor(size / 2 / names.length));
        return signedWith(
            Object.fromEntries(names.map((name) => [name, value])),
            names.map((name) => `/${name}`),
        );
    },
    items: (size: number) => signedWith({ list: Array.from({ length: size >> 4 }, () => 'item') }, ['/list']),
    decoys: (size: number) => {
        const digests = Array.from({ length: size >> 6 }, (_, i) => String(i).padStart(43, '0'));
        return sdJwt({ issuer, claims: {}, payload: { inner: { _sd: digests } } });
    },
    keys: (size: number) =>
        signedWith(Object.fromEntries(Array.from({ length: size >> 6 }, (_, i) => [`k${i}`, { a: 1 }])), []),
};

/** Functions that read SD-JWTs. */
export const SD_JWT_PARSERS: readonly Parser[] = [
    { at: 'tokens/sd-jwt.ts:isSdJwt', longest: MIB, worst: shapes, run: isSdJwt },
    { at: 'tokens/sd-jwt.ts:splitSdJwt', longest: MIB, worst: shapes, run: splitSdJwt },
    {
        at: 'tokens/jws.ts:splitJws',
        longest: MIB,
        worst: { ...shapes, 'a long payload': filled('eyJhbGciOiJFUzI1NiJ9.', 'AAAA', '.AAAA') },
        run: (text) => splitJws(text, { decodeBase64Url, decodeUtf8 }),
    },
    {
        at: 'tokens/sd-jwt-vc.ts:openSdJwtVc',
        longest: MIB,
        worst: { ...shapes, ...signed },
        run: (token) => openSdJwtVc({ token }, PRIMITIVES),
    },
    {
        at: 'tokens/status-reference.ts:readStatusReference',
        longest: MIB,
        worst: letters,
        run: (uri) => readStatusReference({ status_list: { idx: 0, uri, iss: uri } }),
    },
];
