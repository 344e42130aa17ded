import { service } from '../../../test/e2e/support/client.ts';
import { METHODS, messageAt, methodAt } from '../../../test/e2e/support/grpc.ts';
import { anIssued, newAccount, newDid, newKey, newWallet, payloadOf } from '../../../test/e2e/support/world.ts';
import { mutated } from '../mutator.ts';
import type { Random } from '../random.ts';

/** Values for the fields of gRPC calls. */
export interface CallPool {
    /** Ids of existing accounts, and texts that are no such id. */
    userIds: readonly string[];
    texts: readonly string[];
    bytes: readonly Buffer[];
}

/** A field as proto-loader describes it. */
interface Field {
    name: string;
    label: string;
    type: string;
    typeName: string;
}

const ODD_TEXTS = [
    ...[
        '',
        ' ',
        '\0',
        'a\0b',
        '\u202e',
        '\ufeff',
        'ﬀ',
        '😀'.repeat(100),
        'x'.repeat(70_000),
        'null',
        '{}',
        '[]',
        '{"a":1}',
        '{"a":1e400}',
    ],
    ...[
        '{"a":1,"a":2}',
        `${'{"a":'.repeat(40)}1${'}'.repeat(40)}`,
        'did:web:a.example',
        'did:',
        'urn:uuid:',
        'v4.public.AAAA',
        'free',
        'enterprise',
    ],
    ...[
        '2026-13-01',
        '9999-12-31T23:59:59.999Z',
        '0000-00-00',
        "' OR 1=1 --",
        '127.0.0.1',
        '::1',
        'access',
        '__proto__',
        'AAAAAAAAAAAAAAAAAAAAAA',
    ],
];
const ODD_NUMBERS = [0, 1, 2, 25, 999, 1_000, 1_001, 65_536, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1] as const;
const NO_ACCOUNT = '00000000-0000-7000-8000-000000000000';
/** Largest request in bytes. A frame with several of them stays below the 4 MiB that a message may have. */
const MAX_BYTES = 256 << 10;
/** Methods that are not called here: attackStream (grpc.ts) calls them. */
const FRAMES = /^rpc\./;

/** Creates an account with records, and returns their ids, tokens and keys together with odd values. */
export async function callPool(): Promise<CallPool> {
    const account = await newAccount();
    const { key_id, api_key } = await newKey(account);
    const issuer = await newDid(api_key);
    const { credential, credential_id, issuer: issuerDid } = await anIssued();
    const { wallet_id, password } = await newWallet(api_key);
    const url = 'https://receiver.example/hooks';
    const { webhook_id } = await service.as({ token: api_key }).webhooks.create({ url, types: ['key.created'] });
    const texts = [
        account.user_id,
        account.email,
        account.password,
        account.token,
        account.refresh_token,
        key_id,
        issuer.did,
        issuerDid,
    ];
    const sid = JSON.parse(Buffer.from(account.token.split('.')[1] ?? '', 'base64url').toString()).sid;
    return {
        userIds: [account.user_id, account.user_id, NO_ACCOUNT, 'nobody'],
        texts: [
            ...texts,
            String(sid),
            credential,
            credential_id,
            wallet_id,
            password,
            webhook_id,
            url,
            'key.created',
            JSON.stringify(payloadOf(credential)),
            ...ODD_TEXTS,
        ],
        bytes: [
            Buffer.from(issuer.private_key, 'base64'),
            Buffer.from(issuer.public_key, 'base64'),
            Buffer.alloc(0),
            Buffer.alloc(32),
            Buffer.alloc(64, 255),
            Buffer.alloc(70_000),
        ],
    };
}

export interface RandomCall {
    /** `package.v1.Service/Method` */
    name: string;
    /** The encoded message. */
    request: Buffer;
}

/** A call of a random method with random fields. The bytes of one request in three are mutated as well. */
export function someCall(pool: CallPool, random: Random): RandomCall {
    const name = random.pick(METHODS.filter((method) => !FRAMES.test(method)));
    if (name === undefined) throw new RangeError('There are no methods.');
    const { requestType, requestSerialize } = methodAt(name);
    const protoPackage = name.slice(0, name.indexOf('.', name.indexOf('.') + 1));
    let request: Buffer;
    do request = requestSerialize(someMessage(fieldsOf(requestType.type), { pool, random, protoPackage }));
    while (request.length > MAX_BYTES);
    const options = {
        random,
        dictionary: ['\x0a\x00', '\x12\x00', '\x08\x01', '\x0b', '\x0c', '\xff'],
        maxBytes: MAX_BYTES,
    };
    return { name, request: random.oneIn(3) ? mutated(request, request, options) : request };
}

function fieldsOf(type: object): Field[] {
    return (type as { field: Field[] }).field; // a DescriptorProto
}

interface Filling {
    pool: CallPool;
    random: Random;
    /** Package that contains the message types of the fields. */
    protoPackage: string;
}

function someMessage(fields: readonly Field[], filling: Filling): object {
    const { random } = filling;
    const filled = fields.filter(() => !random.oneIn(6));
    return Object.fromEntries(
        filled.map((field) => {
            if (field.label !== 'LABEL_REPEATED') return [field.name, someValue(field, filling)];
            const count = random.oneIn(10) ? 200 : random.below(4);
            return [field.name, Array.from({ length: count }, () => someValue(field, filling))];
        }),
    );
}

function someValue({ type, typeName }: Field, filling: Filling): unknown {
    const { pool, random, protoPackage } = filling;
    if (type === 'TYPE_STRING') return random.pick(pool.texts);
    if (type === 'TYPE_BYTES') return random.pick(pool.bytes);
    if (type === 'TYPE_BOOL') return random.oneIn(2);
    if (type === 'TYPE_MESSAGE') {
        const name = typeName.includes('.') ? typeName : `${protoPackage}.${typeName}`;
        return someMessage(fieldsOf(messageAt(name)), filling);
    }
    return random.pick(ODD_NUMBERS);
}
