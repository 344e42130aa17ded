import type { Random } from '../../../proof/fuzz/random.ts';
import { bound, digest, disclosure, encoded, jwt, type Made, type Party, registered, sdJwt } from './sd-jwts.ts';

interface SdJwtMutation {
    random: Random;
    issuer: Party;
    other: Party;
    /** The good tokens name its did:key. */
    holder: Party;
}

type Mutation = (options: SdJwtMutation) => string;

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const CHARACTERS = ['.', '~', '=', '+', '/', ' ', '\n', '\0', 'é', '😀', ...BASE64URL] as const;
/** The order of P-256. */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

const CLAIMS = { role: 'engineer', address: { city: 'Paris', codes: [1, 2, 3] }, 'a/b~c': null, n: -0.5e-7, empty: {} };
const DISCLOSABLE = ['/role', '/address', '/address/city', '/address/codes/0', '/address/codes/2', '/a~1b~0c'];

const VALUES: readonly unknown[] = [
    ...[
        null,
        true,
        0,
        -1,
        0.5,
        1e21,
        253_402_300_799,
        253_402_300_800,
        -62_135_596_801,
        '',
        ' ',
        'x',
        [],
        {},
        ['x'],
        [1],
    ],
    ...[
        'did:key:z6Mk',
        'did:jwk:e30',
        'did:web:',
        'urn:uuid:x',
        'a'.repeat(256),
        '😀'.repeat(255),
        'é\u0301',
        '\ud800',
    ],
    ...['2999-12-31T23:59:59Z', 32_472_144_000, 1_767_225_600.5, { status_list: { idx: 0, uri: 'https://x.example' } }],
];
const HEADERS: ReadonlyArray<Record<string, unknown>> = [
    ...[{ alg: 'none' }, { alg: 'HS256' }, { alg: 'ES256' }, { alg: 'EdDSA' }, { alg: 'Ed25519' }, { alg: undefined }],
    ...[{ typ: 'JWT' }, { typ: 'vc+sd-jwt' }, { typ: undefined }, { typ: 5 }, { typ: 'DC+SD-JWT' }, { cty: 'x' }],
    ...[{ crit: [] }, { b64: true }, { jwk: { kty: 'EC', d: 'AA' } }, { jku: 'https://x.example' }, { x5c: [] }],
    ...[{ kid: 5 }, { kid: '' }, { kid: '#' }, { kid: '#0' }, { kid: 'did:key:z6Mk#z6Mk' }, { kid: '#z6Mk' }],
    { long: 'x'.repeat(4_096) },
];
const ODD_DISCLOSURES: readonly unknown[] = [
    ...[null, {}, [], ['salt'], ['salt', 'a', 1, 2], [1, 'a', 1], ['salt', 1, 1], ['salt', 'role2', 1], ['salt', 'x']],
    ...[
        ['salt', '_sd', []],
        ['salt', '...', 1],
        ['salt', '_sd_alg', 'x'],
        ['salt', 'vct', 'x'],
        ['salt', 'iat', 5],
    ],
    ...[['', '', ''], ['salt', '__proto__', { a: 1 }], ['salt', 'n', 2], ['salt', 'a', { _sd: 5 }], 'text', 5],
];

const made = ({ issuer }: SdJwtMutation, more: Partial<Made> = {}): string =>
    sdJwt({ issuer, claims: CLAIMS, disclosable: DISCLOSABLE, ...more });
const memberIn = ({ issuer, random }: SdJwtMutation): string =>
    random.pick([
        'nbf',
        'cnf',
        'status',
        'aud',
        'vct#integrity',
        '_sd',
        '_sd_alg',
        '...',
        ...Object.keys(registered(issuer)),
    ]);

/** Changes one part of a token: the JWT or a disclosure. */
function changed(options: SdJwtMutation, change: (part: string) => string): string {
    const parts = made(options).split('~');
    const at = options.random.below(parts.length - 1);
    return parts.map((part, i) => (i === at ? change(part) : part)).join('~');
}

/** Signs a payload with one odd disclosure, whose digest is where that of a member or of an item belongs. */
function withDisclosure(options: SdJwtMutation, text: string): string {
    const place = options.random.oneIn(3) ? { list: [{ '...': digest(text) }] } : { _sd: [digest(text)] };
    const members = { ...registered(options.issuer), n: 1, ...place };
    return `${jwt(options.issuer, { typ: 'dc+sd-jwt' }, members)}~${text}~`;
}

/** Returns lists in lists, `levels` of them. */
const nested = (levels: number): unknown => (levels === 0 ? 0 : [nested(levels - 1)]);

/** The changes that are made to tokens, by what they change. */
export const SD_JWT_MUTATIONS: Readonly<Record<string, Mutation>> = {
    nothing: (options) => made(options),
    'a bit': (options) =>
        changed(options, (part) => {
            const segments = part.split('.').map((segment) => Buffer.from(segment, 'base64url'));
            const bytes = options.random.pick(segments) ?? Buffer.alloc(1); // there is always one
            const at = options.random.below(bytes.length);
            bytes[at] = (bytes[at] ?? 0) ^ (1 << options.random.below(8));
            return segments.map((segment) => segment.toString('base64url')).join('.');
        }),
    'a character': (options) => {
        const token = made(options);
        const at = options.random.below(token.length);
        return token.slice(0, at) + options.random.pick(CHARACTERS) + token.slice(at + options.random.below(2));
    },
    'the length': (options) => {
        const token = made(options);
        return options.random.oneIn(2)
            ? token.slice(0, options.random.below(token.length))
            : token + options.random.pick(CHARACTERS).repeat(1 + options.random.below(3));
    },
    'the bits that the last character does not use': (options) =>
        changed(options, (part) => {
            const last = BASE64URL.indexOf(part.at(-1) ?? '');
            return part.slice(0, -1) + BASE64URL[last ^ (1 << options.random.below(3))];
        }),
    'the alphabet or the padding': (options) =>
        changed(options, (part) =>
            options.random.oneIn(2) ? `${part}=` : part.replaceAll('-', '+').replaceAll('_', '/'),
        ),
    'a member that is missing': (options) => made(options, { payload: { [memberIn(options)]: undefined } }),
    'a member that is wrong': (options) =>
        made(options, { payload: { [memberIn(options)]: options.random.pick(VALUES) } }),
    'a key that stands twice': ({ issuer }) => {
        const head = encoded({ alg: issuer.alg, typ: 'dc+sd-jwt' });
        const text = `${JSON.stringify(registered(issuer)).slice(0, -1)},"iss":${JSON.stringify(issuer.did)}}`;
        const signed = `${head}.${Buffer.from(text).toString('base64url')}`;
        return `${signed}.${issuer.sign(signed)}~`;
    },
    'the header': (options) => made(options, { header: options.random.pick(HEADERS) }),
    'the signer': (options) => made({ ...options, issuer: { ...options.other, did: options.issuer.did } }),
    'the form of the signature': (options) =>
        changed(options, (part) => {
            const [head, body, signature] = part.split('.');
            if (signature === undefined) return part;
            const bytes = Buffer.from(signature, 'base64url');
            const s = ORDER - (BigInt(`0x${bytes.toString('hex', 32)}`) % ORDER);
            bytes.write(s.toString(16).padStart(64, '0'), 32, 'hex');
            return [head, body, bytes.toString('base64url')].join('.');
        }),
    'which disclosures there are': (options) => {
        const [first = '', ...rest] = made(options).split('~').slice(0, -1);
        const kept = rest.filter(() => !options.random.oneIn(3));
        const more = options.random.pick([[], [], kept.slice(0, 1), [disclosure(['salt', 'x', 1])], ['']]);
        return [first, ...more, ...kept.reverse(), ''].join('~');
    },
    'what a disclosure is': (options) => withDisclosure(options, disclosure(options.random.pick(ODD_DISCLOSURES))),
    'how a disclosure is written': (options) => {
        const texts = [
            '["salt","x",1]',
            '["salt", "x",\n1.0]',
            '["salt","x",1,]',
            '["salt","x",1e400]',
            '',
            '["salt","x","\\ud800"]',
        ] as const;
        return withDisclosure(options, Buffer.from(options.random.pick(texts)).toString('base64url'));
    },
    'where digests are': (options) => {
        const text = disclosure(['salt', 'x', 1]);
        const own = digest(text);
        const places = [
            { _sd: [own, own] },
            { _sd: own },
            { _sd: [] },
            { list: [{ '...': own }] },
            { '...': own },
            { x: { _sd: [own] } },
        ];
        const more = [
            { list: [{ '...': own, a: 1 }] },
            { _sd: [own], x: 2 },
            { _sd: [own, 5] },
            { x: { _sd_alg: 'sha-256' } },
        ];
        const members = { ...registered(options.issuer), ...options.random.pick<object>([...places, ...more]) };
        return `${jwt(options.issuer, { typ: 'dc+sd-jwt' }, members)}~${options.random.pick(['', `${text}~`])}`;
    },
    'the depth': (options) => {
        const levels = 28 + options.random.below(6);
        const text = disclosure(['salt', 'deep', nested(levels)]);
        return options.random.oneIn(2)
            ? withDisclosure(options, text)
            : made(options, { payload: { deep: nested(levels) } });
    },
    'the number of disclosures': (options) => {
        const claims = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`k${i}`, i]));
        const token = sdJwt({ issuer: options.issuer, claims });
        return options.random.oneIn(2) ? token : `${token}${disclosure(['salt', 'x', 1])}~`;
    },
    'a signature of the holder': (options) => bound(made(options), { holder: options.holder }),
    'its kind': (options) => jwt(options.issuer, { typ: 'dc+sd-jwt' }, registered(options.issuer)),
};
