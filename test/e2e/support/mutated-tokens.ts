import type { Random } from '../../../proof/fuzz/random.ts';
import { encodeDidKey } from '../../../workers/crypto/did-key.ts';
import type { PublicKey } from '../../../workers/crypto/ed25519.ts';
import { signToken } from './tokens.ts';
import type { Did } from './world.ts';

interface MutationOptions {
    random: Random;
    /** The DID that signs. */
    signer: Did;
    other: Did;
    /** A valid payload of the signer. */
    payload: Readonly<Record<string, unknown>>;
}

type Mutation = (options: MutationOptions) => string;

const HEADER = 'v4.public.';
const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const CHARACTERS = ['.', '=', '+', '/', ' ', '\n', '\0', 'é', '😀', ...BASE64URL] as const;
/** The order of the main subgroup of edwards25519. */
const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;
/** Encodings of points of small order (test/vectors/ed25519-speccheck and libsodium). */
const SMALL_ORDER = [
    '0000000000000000000000000000000000000000000000000000000000000000',
    '0100000000000000000000000000000000000000000000000000000000000000',
    '0100000000000000000000000000000000000000000000000000000000000080',
    'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
    '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
    'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
    'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
] as const;

const VALUES: readonly unknown[] = [
    ...[null, true, 0, -1, 1e21, '', ' ', 'x', 'credential', 'presentation', [], {}, ['x'], [1], { a: { b: 'c' } }],
    ...['2020-01-01', '2020-01-01T00:00:00Z', '2999-02-30T00:00:00Z', '2999-12-31T23:59:59+23:59', '2999-12-31T24:00Z'],
    ...[
        'did:key:z6Mk',
        'did:web:other.example',
        'did:web:',
        'urn:uuid:x',
        'a'.repeat(256),
        '😀'.repeat(255),
        'é\u0301',
    ],
    ...['urn:uuid:01890A5D-AC96-774B-BCCE-B302099A8057', Array.from({ length: 101 }, () => 'v4.public.AA')],
];

const signed = ({ signer }: MutationOptions, payload: unknown, more: { footer?: string; implicit?: string } = {}) =>
    signToken({ private_key: signer.private_key, payload, ...more });
const plain = (options: MutationOptions): string => signed(options, options.payload);
const bodyOf = (token: string): Buffer => Buffer.from(token.slice(HEADER.length), 'base64url');
const tokenOf = (body: Uint8Array): string => HEADER + Buffer.from(body).toString('base64url');
const nameIn = ({ payload, random }: MutationOptions): string =>
    random.pick(['nbf', 'exp', 'nonce', 'status', ...Object.keys(payload)]);

/** Returns the JSON of the payload with `text` before its last bracket. */
const withText = ({ payload }: MutationOptions, text: string): string =>
    `${JSON.stringify(payload).slice(0, -1)},${text}}`;

/** The changes that are made to tokens, by what they change. */
export const MUTATIONS: Readonly<Record<string, Mutation>> = {
    nothing: plain,
    'a bit': (options) => {
        const body = bodyOf(plain(options));
        const at = options.random.below(body.length);
        body[at] = (body[at] ?? 0) ^ (1 << options.random.below(8));
        return tokenOf(body);
    },
    'a character': (options) => {
        const token = plain(options);
        const at = options.random.below(token.length);
        return token.slice(0, at) + options.random.pick(CHARACTERS) + token.slice(at + options.random.below(2));
    },
    'the length': (options) => {
        const token = plain(options);
        return options.random.oneIn(2)
            ? token.slice(0, options.random.below(token.length))
            : token + options.random.pick(CHARACTERS).repeat(1 + options.random.below(3));
    },
    'the bits that the last character does not use': (options) => {
        const token = signed(options, { ...options.payload, pad: 'x'.repeat(options.random.below(3)) });
        return token.slice(0, -1) + BASE64URL[BASE64URL.indexOf(token.at(-1) ?? '') ^ (1 << options.random.below(3))];
    },
    'the alphabet or the padding': (options) => {
        const token = signed(options, { ...options.payload, pad: '~~~???'.slice(options.random.below(6)) });
        if (options.random.oneIn(3)) return `${token}${'='.repeat(1 + options.random.below(2))}`;
        return HEADER + token.slice(HEADER.length).replaceAll('-', '+').replaceAll('_', '/');
    },
    'the header': (options) =>
        options.random.pick(['v3.public.', 'v4.local.', 'V4.public.', '']) + plain(options).slice(10),
    'a member that is missing': (options) => {
        const { [nameIn(options)]: _, ...rest } = options.payload;
        return signed(options, rest);
    },
    'a member that is wrong': (options) =>
        signed(options, { ...options.payload, [nameIn(options)]: options.random.pick(VALUES) }),
    'a key that stands twice': (options) => {
        const name = nameIn(options);
        const value = options.random.oneIn(2) ? options.payload[name] : options.random.pick(VALUES);
        return signed(options, withText(options, `${JSON.stringify(name)}:${JSON.stringify(value ?? null)}`));
    },
    'the depth': (options) => {
        const depth = options.random.pick([30, 31, 32, 33, 1_000]);
        return signed(options, withText(options, `"deep":${'['.repeat(depth)}${']'.repeat(depth)}`));
    },
    'the text of the JSON': (options) => {
        const faults = ['"n":1e400', '"n":-1e999', '"s":"\\u0000"', '"s":"\\ud800"', '"s":"\ud800"', '"n":01'] as const;
        const odd = [
            '"__proto__":{"a":1}',
            '"claims ":1',
            '"\\u0069ss":"x"',
            '"a":1,',
            '"s":"\t"',
            '"n":1.0e-0',
        ] as const;
        return signed(options, withText(options, options.random.pick([...faults, ...odd])));
    },
    'the bytes of the payload': (options) => {
        const bytes = Buffer.from(JSON.stringify(options.payload));
        if (options.random.oneIn(3)) return signed(options, options.random.pick(['[]', '"x"', 'null', '{}', '']));
        const at = options.random.oneIn(2) ? 0 : options.random.below(bytes.length);
        const inserted = Buffer.from(options.random.pick(['efbbbf', 'ff', 'c080', 'eda080']), 'hex');
        return signed(options, Buffer.concat([bytes.subarray(0, at), inserted, bytes.subarray(at)]));
    },
    'the key': ({ other, payload }) => signToken({ private_key: other.private_key, payload }),
    'the signer that is named': (options) => signed(options, { ...options.payload, iss: options.other.did }),
    'a key of small order': (options) => {
        const key = new Uint8Array(Buffer.from(options.random.pick(SMALL_ORDER), 'hex')) as PublicKey; // 32 bytes
        const payload = { ...options.payload, iss: encodeDidKey(key) };
        const r = Buffer.from(options.random.pick(SMALL_ORDER), 'hex');
        return tokenOf(Buffer.concat([Buffer.from(JSON.stringify(payload)), r, Buffer.alloc(32)]));
    },
    'an S beyond the order': (options) => {
        const body = bodyOf(plain(options));
        const s = BigInt(`0x${Buffer.from(body.subarray(-32)).reverse().toString('hex')}`) + ORDER;
        body.set(Buffer.from(s.toString(16).padStart(64, '0'), 'hex').reverse(), body.length - 32);
        return tokenOf(body);
    },
    'the time': (options) => {
        const name = options.random.pick(['exp', 'nbf', 'iat']);
        const year = options.random.pick(['0001', '1970', '2020', '2999', '9999']);
        const offset = options.random.pick(['Z', '+00:00', '-23:59', '+0530', '', 'z']);
        return signed(options, { ...options.payload, [name]: `${year}-06-30T12:00:00.5${offset}` });
    },
    'the footer': (options) => {
        const footer = options.random.pick(['{"kid":"1"}', 'x', '\0']);
        if (options.random.oneIn(2)) return signed(options, options.payload, { footer });
        return `${plain(options)}.${options.random.pick(['Zg', 'Zh', 'Zm9v', ''])}`;
    },
    'the implicit assertion': (options) => signed(options, options.payload, { implicit: 'x' }),
};
