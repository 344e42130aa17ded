import type { Scope } from '../../proto/scopes.ts';
import type { Endpoint } from '../endpoint.ts';
import type { InterfacePart } from '../endpoints/index.ts';
import { FORM_TYPE, JSON_TYPE } from '../http/body.ts';
import { NDJSON_TYPE } from '../http/body-lines.ts';
import { ERROR, WALLET_ERROR } from './error-schemas.ts';
import { INTRODUCTION } from './introduction.ts';
import type { OperationNotes } from './operation.ts';
import { operationOf } from './operations/index.ts';
import { type Parameter, parametersOf } from './parameters.ts';
import {
    accessRefusal,
    documentHeaders,
    HEADERS,
    headersOf,
    KINDS,
    type RefusalKind,
    refusal,
    refusalsOf,
    responseName,
    statusOf,
    walletRefusal,
} from './responses.ts';
import { answerSchemaOf, type Schema, schemaOf } from './schemas.ts';
import { SECURITY_SCHEMES, type Security, securityOf } from './security.ts';

interface Media {
    schema: Schema;
    example: unknown;
}
export interface ResponseObject {
    $ref?: string;
    description: string;
    headers: Record<string, { $ref: string }>;
    /** One body, by its media type. */
    content: Record<string, Media>;
}
export interface OperationObject {
    operationId: string;
    summary: string;
    description?: string;
    tags: string[];
    security: Security;
    /**
     * True if the call may be repeated when its outcome is unknown; `by-key` if it may be repeated with its
     * `Idempotency-Key`.
     */
    'x-idempotent': boolean | 'by-key';
    /** The operationId in an earlier release. */
    'x-former-id'?: string;
    /** True if each item in the body counts as a request. */
    'x-counts-items'?: true;
    parameters: Parameter[];
    /** Set if the body and the answer are lines: the names that the client gives to both lists of them. */
    'x-lines'?: { sent: string; answered: string };
    /** True if the answer is any number of lines of JSON: the schema is that of a line. */
    'x-streams'?: true;
    /** One body, by its media type. If it has lines, the schema is that of a line. */
    requestBody?: { required: boolean; content: Record<string, Media> };
    responses: Record<string, ResponseObject | { $ref: string }>;
}
export interface OpenApi {
    openapi: string;
    info: { title: string; version: string; description: string; license: { name: string; identifier: string } };
    servers: Array<{ url: string }>;
    tags: ReadonlyArray<{ name: string; description: string }>;
    paths: Record<string, Record<string, OperationObject>>;
    components: {
        schemas: Record<string, Schema>;
        responses: Record<string, ResponseObject>;
        headers: Record<string, (typeof HEADERS)[keyof typeof HEADERS]>;
        securitySchemes: Record<string, object>;
    };
}

/** The refusals of calls with an Idempotency-Key. */
const BY_KEY_REFUSALS = { unprocessable: 'The `Idempotency-Key` was used for another request.' } as const;

/** The OpenAPI 3.1 document of the interface, built from the schemas that validate its requests. */
export function openApi(parts: readonly InterfacePart[], version: string): OpenApi {
    const schemas: Record<string, Schema> = { Error: ERROR, WalletError: WALLET_ERROR };
    const paths: OpenApi['paths'] = {};
    for (const { name, endpoints } of parts) {
        for (const endpoint of endpoints) {
            const method = endpoint.method.toLowerCase();
            paths[endpoint.path] = { ...paths[endpoint.path], [method]: operationObject(endpoint, name, schemas) };
        }
    }
    const refusals = Object.fromEntries(KINDS.map((kind) => [responseName(kind), refusal(kind)]));
    const responses = referred('responses', refusals, paths);
    return {
        openapi: '3.1.1',
        info: {
            title: 'Credential service',
            version,
            description: INTRODUCTION,
            license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
        },
        servers: [{ url: '/' }],
        tags: parts.map(({ name, description }) => ({ name, description })),
        paths,
        components: {
            schemas,
            responses,
            headers: referred('headers', HEADERS, { paths, responses }),
            securitySchemes: SECURITY_SCHEMES,
        },
    };
}

/** The components of one kind to which this part of the document refers. */
function referred<Component>(
    kind: keyof OpenApi['components'],
    components: Record<string, Component>,
    part: object,
): Record<string, Component> {
    const text = JSON.stringify(part);
    const isReferred = (name: string) => text.includes(`"#/components/${kind}/${name}"`);
    return Object.fromEntries(Object.entries(components).filter(([name]) => isReferred(name)));
}

function operationObject(endpoint: Endpoint, tag: string, schemas: Record<string, Schema>): OperationObject {
    const { id, summary, description, method, idempotent = method === 'GET', body, answer, lines, streams } = endpoint;
    const notes = operationOf(id);
    const { refusals = {}, formerId, fields, example } = notes;
    const keep = (name: string, schema: Schema): Schema => {
        schemas[name] = schema;
        return { $ref: `#/components/schemas/${name}` };
    };
    // An internal variant has the schemas of its public endpoint.
    const name = responseName(id.replace('internal.', '').replaceAll('.', '_') as RefusalKind);
    const answered = mediaIn(answerSchemaOf(answer, fields), example.data, lines?.answered);
    const object: OperationObject = {
        operationId: id,
        summary,
        tags: [tag],
        security: securityOf(endpoint),
        'x-idempotent': endpoint.byKey ? 'by-key' : idempotent,
        ...(formerId && { 'x-former-id': formerId }),
        ...(endpoint.weight && { 'x-counts-items': true as const }),
        ...(lines && { 'x-lines': lines }),
        ...(streams && { 'x-streams': streams }),
        parameters: parametersOf(endpoint, notes),
        responses: {
            [endpoint.status]: success(endpoint, keep(`${name}Data`, answered.schema), answered.example),
            ...refusalResponses(endpoint, endpoint.byKey ? { ...refusals, ...BY_KEY_REFUSALS } : refusals),
        },
    };
    if (description) object.description = description;
    if (body) {
        const sent = mediaIn(schemaOf(body, fields), example.body, lines?.sent);
        const media = { ...sent, schema: keep(`${name}Request`, sent.schema) };
        const required = (sent.schema.required ?? []).length > 0;
        object.requestBody = { required, content: { [bodyTypeOf(endpoint)]: media } };
    }
    return object;
}

function bodyTypeOf({ lines, form }: Endpoint): string {
    if (form) return FORM_TYPE;
    return lines ? NDJSON_TYPE : JSON_TYPE;
}

/** The only body of a request or a response. */
export function mediaOf({ content }: Pick<ResponseObject, 'content'>): Media {
    return Object.values(content)[0] as Media; // each has one
}

/** A body with this schema or, if `list` names its list, one line of it. */
function mediaIn(schema: Schema, example: unknown, list: string | undefined): Media {
    if (list === undefined) return { schema, example };
    const [line] = (example as Record<string, unknown[]>)[list] ?? []; // examples have the form of their schemas
    return { schema: schema.properties?.[list]?.items ?? {}, example: line };
}

function success(endpoint: Endpoint, data: Schema, example: unknown): ResponseObject {
    const { bare, document, message, query, byKey, lines, streams, hasTag } = endpoint;
    const envelope: Schema = {
        type: 'object',
        properties: { status: { const: 'success' }, message: { type: 'string' }, data },
        required: ['status', 'message', 'data'],
    };
    const description = `${message.replace(/\.$/, '')}.`;
    const media = { schema: data, example };
    if (document) return { description, headers: documentHeaders(), content: { [document.contentType]: media } };
    const headers = headersOf();
    if (lines || streams) return { description, headers, content: { [NDJSON_TYPE]: media } };
    if (query && schemaOf(query).properties?.['cursor']) headers['Link'] = { $ref: '#/components/headers/Link' };
    if (hasTag) headers['ETag'] = { $ref: '#/components/headers/ETag' };
    if (byKey) headers['Idempotent-Replayed'] = { $ref: '#/components/headers/Idempotent-Replayed' };
    return {
        description,
        headers,
        content: {
            [JSON_TYPE]: bare ? media : { schema: envelope, example: { status: 'success', message, data: example } },
        },
    };
}

function refusalResponses(
    endpoint: Endpoint,
    own: NonNullable<OperationNotes['refusals']>,
): OperationObject['responses'] {
    const { access, scope, problem } = endpoint;
    const kinds = refusalsOf(endpoint, Object.keys(own) as RefusalKind[]); // its type allows no other keys
    return Object.fromEntries(
        kinds.map((kind) => {
            const ofScope = kind === 'forbidden' && scope ? [scopeRefusal(scope)] : [];
            const usual = problem ? walletRefusal(kind, endpoint) : accessRefusal(access, kind);
            const when = [own[kind] ?? usual, ...ofScope].filter(Boolean).join(' ');
            return [
                statusOf(kind),
                when || problem
                    ? refusal(kind, { when, problem })
                    : { $ref: `#/components/responses/${responseName(kind)}` },
            ];
        }),
    );
}

function scopeRefusal(scope: Scope): string {
    return `The API key lacks the scope \`${scope}\`, or may not be used from this address.`;
}
