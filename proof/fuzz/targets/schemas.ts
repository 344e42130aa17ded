import { endpointTable } from '../../../gateway/endpoints/index.ts';
import { parse } from '../../../gateway/fields.ts';
import { parseBody } from '../../../gateway/http/body.ts';
import { parseQuery } from '../../../gateway/http/query.ts';
import { attempt, target } from '../parsers/target.ts';

const TABLE = endpointTable({ version: '', cache: async () => {}, clock: Date.now });
const FIELDS = [...new Set(TABLE.flatMap(({ body, query }) => [body, query].flatMap(namesOf)))];

function namesOf(schema: object | undefined): string[] {
    return schema && 'shape' in schema ? Object.keys(schema.shape as object) : [];
}

const BODIES = [
    Object.fromEntries(FIELDS.map((name) => [name, 'x'])),
    { credentials: ['v4.public.AAAA', 1], users: [{ email: 'a@b.example', password: 'x' }, 0], claims: { a: 1 } },
    { limit: 1, email: null, name: ' ', tier: 'pro', nonce: '', check_revocation: 'true' },
];

/** The schema of every endpoint must accept any body or refuse it as `invalid`. */
export const bodies = target({
    name: 'bodies',
    seeds: BODIES.map((body) => JSON.stringify(body)),
    dictionary: [
        ...FIELDS.map((name) => `"${name}":`),
        '[0,',
        '0,0,0,0,',
        '{}',
        '[]',
        '""',
        'null',
        'true',
        '1',
        ',',
        '"x"',
    ],
    maxBytes: 1 << 20,
    parse(input) {
        const { value: body } = attempt(() => parseBody({ 'content-type': 'application/json' }, input));
        if (body === undefined) return;
        for (const endpoint of TABLE) {
            const { body: schema } = endpoint;
            if (schema) attempt(() => parse(schema, body));
        }
    },
    check() {},
});

/** The schemas of queries, path parameters and headers must accept any values or refuse them as `invalid`. */
export const parameters = target({
    name: 'parameters',
    seeds: ['/?limit=1&cursor=abc&derive=true', '/?limit=1001&cursor=', '/?derive=&derive=1', '/?password=%20'],
    dictionary: [...FIELDS.map((name) => `&${name}=`), 'limit=', '0', '1000', '99999999999999999999', '%00', '&', '='],
    parse(input) {
        const { value } = attempt(() => parseQuery(input.toString('latin1')));
        if (value === undefined) return;
        for (const { query, params, headers } of TABLE) {
            for (const schema of [query, params, headers]) if (schema) attempt(() => parse(schema, value));
        }
    },
    check() {},
});
