import { decodeBase64Url } from '../../../platform/base64.ts';
import { splitJws } from '../../../tokens/jws.ts';
import { isSdJwt, splitSdJwt } from '../../../tokens/sd-jwt.ts';
import { decodeUtf8 } from '../../../verify/src/primitives.ts';
import { filled, MIB, type Parser } from './parser-inputs.ts';

const shapes = {
    disclosures: filled('e.e.e~', 'AA~'),
    'empty disclosures': filled('e.e.e', '~'),
    'one long disclosure': filled('e.e.e~', 'A', '~'),
    'one long part': filled('', 'A', '.e.e~'),
    dots: filled('', 'a.'),
    'dots behind': filled('e.e.e~', '.'),
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
];
