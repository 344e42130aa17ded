import { bearerToken } from '../../../gateway/admission/authenticator.ts';
import { codingFor } from '../../../gateway/documents.ts';
import { endpointTable } from '../../../gateway/endpoints/index.ts';
import { parse, parseItem } from '../../../gateway/fields.ts';
import { clientOf, networkOf } from '../../../gateway/http/address.ts';
import { FORM_TYPE, MAX_FORM_BYTES, parseBody, parseForm, requireMediaType } from '../../../gateway/http/body.ts';
import { checkHeaders, requestIdOf } from '../../../gateway/http/exchange.ts';
import { parsePairs, parseQuery } from '../../../gateway/http/query.ts';
import { originForm, routable } from '../../../gateway/http/target.ts';
import { attempt, filled, HEADER, header, letters, MIB, type Parser, values } from './parser-inputs.ts';
import { WORST_JSON, WORST_TARGETS } from './worst-texts.ts';

const endpoints = endpointTable({ version: '0', cache: async () => 'PONG', clock: Date.now });

const NOTHING = Buffer.alloc(0);

/** Functions of the gateway that parse requests. */
export const GATEWAY_PARSERS: readonly Parser[] = [
    { at: 'gateway/http/target.ts:originForm', longest: HEADER, worst: WORST_TARGETS, run: originForm },
    { at: 'gateway/http/target.ts:routable', longest: HEADER, worst: WORST_TARGETS, run: routable },
    { at: 'gateway/http/query.ts:parseQuery', longest: HEADER, worst: WORST_TARGETS, run: parseQuery },
    {
        at: 'gateway/http/query.ts:parsePairs',
        longest: HEADER,
        worst: WORST_TARGETS,
        run: (text) => parsePairs(text, 'form'),
    },
    {
        at: 'gateway/http/body.ts:parseForm',
        longest: MAX_FORM_BYTES,
        worst: WORST_TARGETS,
        run: (text) => parseForm({ 'content-type': FORM_TYPE }, Buffer.from(text)),
    },
    {
        at: 'gateway/documents.ts:codingFor',
        longest: HEADER,
        worst: values,
        run: (value) => codingFor(value, { identity: NOTHING, gzip: NOTHING }),
    },
    {
        at: 'gateway/http/address.ts:clientOf',
        longest: HEADER,
        worst: values,
        run: (value) => clientOf(header('x-forwarded-for', value), 2),
    },
    {
        at: 'gateway/http/address.ts:networkOf',
        longest: HEADER,
        worst: { ...letters, colons: filled('', ':') },
        run: networkOf,
    },
    {
        at: 'gateway/admission/authenticator.ts:bearerToken',
        longest: HEADER,
        worst: values,
        run: (value) => bearerToken(header('authorization', value)),
    },
    {
        at: 'gateway/http/exchange.ts:checkHeaders',
        longest: HEADER,
        worst: values,
        run: (value) => checkHeaders(header('host', value)),
    },
    {
        at: 'gateway/http/exchange.ts:requestIdOf',
        longest: HEADER,
        worst: values,
        run: (value) => requestIdOf(header('x-request-id', value)),
    },
    {
        at: 'gateway/http/body.ts:requireMediaType',
        longest: HEADER,
        worst: values,
        run: (value) => requireMediaType(header('content-type', value).headers, 'application/json'),
    },
    {
        at: 'gateway/http/body.ts:parseBody',
        longest: MIB,
        worst: WORST_JSON,
        run: (text) => parseBody({ 'content-type': 'application/json' }, Buffer.from(text)),
    },
    {
        at: 'gateway/fields.ts:parse',
        longest: MIB,
        worst: WORST_JSON,
        run(text) {
            // parse() gets only bodies that parseBody() accepts.
            const body = parseBody({ 'content-type': 'application/json' }, Buffer.from(text));
            for (const endpoint of endpoints) if (endpoint.body) attempt(() => parse(endpoint.body as never, body));
        },
    },
    {
        at: 'gateway/fields.ts:parseItem',
        longest: MIB,
        worst: WORST_JSON,
        run(text) {
            const item = parseBody({ 'content-type': 'application/json' }, Buffer.from(text));
            for (const endpoint of endpoints) if (endpoint.body) attempt(() => parseItem(endpoint.body as never, item));
        },
    },
];
