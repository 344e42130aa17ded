import { fieldPattern, MIN_SEALING_LENGTH } from '../../platform/access/idempotency-key.ts';
import { REQUEST_ID } from '../../platform/ids.ts';
import type { Endpoint } from '../endpoint.ts';
import type { OperationNotes } from './operation.ts';
import { type Schema, schemaOf } from './schemas.ts';

export interface Parameter {
    name: string;
    in: 'path' | 'query' | 'header';
    required: boolean;
    description: string;
    schema: Schema;
    /** The field of the query or body that this header field can replace. */
    'x-instead-of'?: string;
    example?: unknown;
}

/** Header fields that can carry a value in place of a field of the query or body, with the name of that field. */
const INSTEAD_OF: Readonly<Record<string, string>> = { 'x-wallet-password': 'password' };

const header = (name: string, description: string, schema: Schema): Parameter => ({
    name,
    in: 'header',
    required: false,
    description,
    schema,
});
const GIVEN_ID = header('X-Request-Id', 'Id of the request. The answer and the log contain it.', {
    type: 'string',
    pattern: REQUEST_ID.source,
});
const ON_BEHALF_OF = header('X-On-Behalf-Of', 'The `user_id` of the account to act for, with its rights only.', {
    type: 'string',
    format: 'uuid',
});
const idempotencyKey = (min: number): Parameter =>
    header(
        'Idempotency-Key',
        `Makes the call repeatable: a later call of the account with the same key and the same request gets the same answer and creates nothing more. The key has ${min} to 255 characters. It may stand in quotes, which do not count.`,
        { type: 'string', pattern: fieldPattern(min) },
    );
const CLIENT_ADDRESS = header('X-Client-Address', "The end user's IP address. Password guesses are counted for it.", {
    type: 'string',
});

/** The parameters in the endpoint's schemas, with the values of its example, and the common header fields. */
export function parametersOf(
    { params, query, headers, access, path, byKey }: Endpoint,
    { fields, example }: OperationNotes,
): Parameter[] {
    const own = [
        ...(params ? fieldsOf('path', schemaOf(params, fields), example.params) : []),
        ...(query ? fieldsOf('query', schemaOf(query, fields), example.query) : []),
        ...(headers ? fieldsOf('header', schemaOf(headers, fields), example.headers) : []),
    ];
    if (byKey) own.push(idempotencyKey(byKey === 'secret' ? MIN_SEALING_LENGTH : 1));
    if (access === 'internal') own.push(ON_BEHALF_OF);
    if (path.startsWith('/internal/v1/')) own.push(CLIENT_ADDRESS);
    return [...own, GIVEN_ID];
}

function fieldsOf(place: Parameter['in'], schema: Schema, examples: Record<string, string> = {}): Parameter[] {
    return Object.entries(schema.properties ?? {}).map(([name, { description = '', ...field }]) => ({
        name: place === 'header' ? name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase()) : name,
        in: place,
        required: schema.required?.includes(name) ?? false,
        description,
        schema: field,
        ...(INSTEAD_OF[name] !== undefined && { 'x-instead-of': INSTEAD_OF[name] }),
        ...(examples[name] !== undefined && { example: typed(examples[name], field) }),
    }));
}

/** Converts the text in an example to the value that it stands for. */
function typed(text: string, { type }: Schema): unknown {
    return type === 'integer' || type === 'boolean' ? JSON.parse(text) : text;
}
