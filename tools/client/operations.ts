import type { Operation } from '../../client/src/operation.ts';
import { FORM_TYPE } from '../../gateway/http/body.ts';
import { mediaOf, type OpenApi, type OperationObject } from '../../gateway/openapi/document.ts';
import type { Schema } from '../../gateway/openapi/schemas.ts';

/** An operation of the OpenAPI document, in the form that the generator of the client needs. */
export interface ClientOperation {
    id: string;
    comment: string;
    wire: Operation;
    /** All inputs in the path, the query and the body, as one object. */
    input: Schema | undefined;
    data: Schema;
}

/** Header fields that the client sets from the caller or the call, so they are not inputs of an operation. */
const COMMON_HEADERS = ['X-Request-Id', 'X-On-Behalf-Of', 'X-Client-Address', 'Idempotency-Key'];

/** The operations of the document. */
export function operationsOf(document: OpenApi): ClientOperation[] {
    return Object.entries(document.paths).flatMap(([path, item]) =>
        Object.entries(item).flatMap(([method, object]) => {
            const operation = operationOf(document, path, method, object);
            return [operation, ...former(operation, object)];
        }),
    );
}

/** The operation under the id that it had in an earlier release, so that programs which call it go on. */
function former(operation: ClientOperation, { 'x-former-id': id }: OperationObject): ClientOperation[] {
    return id === undefined ? [] : [{ ...operation, id, comment: `@deprecated It is now called \`${operation.id}\`.` }];
}

function operationOf(document: OpenApi, path: string, method: string, object: OperationObject): ClientOperation {
    const { operationId: id, summary, description, parameters } = object;
    const own = parameters.filter(({ name }) => !COMMON_HEADERS.includes(name));
    const query = own.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
    // Only inputs of the query are sent in a header field. An input of the body stays there: a body can carry any text.
    const instead = own.filter((parameter) => query.includes(parameter['x-instead-of'] ?? ''));
    const lines = object['x-lines'];
    const body = object.requestBody && resolved(document, mediaOf(object.requestBody).schema);
    const sent = body && listOf(body, lines?.sent);
    const { schema, bare } = dataOf(document, object);
    const data = listOf(schema, lines?.answered);
    return {
        id,
        comment: [`${summary}.`, description, '', `\`${method.toUpperCase()} ${path}\``]
            .filter((line) => line !== undefined)
            .join('\n * '),
        wire: {
            method: method.toUpperCase() as Operation['method'], // the endpoint table has no other methods
            path,
            credentials: credentialsOf(object),
            idempotent: object['x-idempotent'],
            query,
            headers: Object.fromEntries(instead.map((parameter) => [parameter['x-instead-of'], parameter.name])),
            body: sent !== undefined,
            ...(object.requestBody?.content[FORM_TYPE] && { form: true as const }),
            ...(query.includes('cursor') && { list: listIn(id, data) }),
            ...(lines && { lines }),
            ...(object['x-streams'] && { streams: true }),
            bare,
            text: data.type === 'string',
        },
        input: inputOf(id, own, sent),
        data,
    };
}

/** An object with the list of lines that have this schema, if a name of such a list is given; otherwise the schema. */
function listOf(schema: Schema, name: string | undefined): Schema {
    if (name === undefined) return schema;
    return { type: 'object', properties: { [name]: { type: 'array', items: schema } }, required: [name] };
}

/** The member of a page that has the items: its only list. */
function listIn(id: string, { properties = {} }: Schema): string {
    const [list, ...more] = Object.entries(properties).flatMap(([name, { type }]) => (type === 'array' ? name : []));
    if (list === undefined || more.length > 0) throw new Error(`The pages of ${id} have not one list.`);
    return list;
}

function credentialsOf({ security, parameters }: OperationObject): Operation['credentials'] {
    const schemes = security.flatMap((all) => Object.keys(all));
    const bearer = ['session', 'api_key', 'access_token'].some((name) => schemes.includes(name));
    // A login needs no credential, but a trusted caller may send it with the end user's address.
    const trusted = schemes.includes('internal_secret') || parameters.some(({ name }) => name === 'X-Client-Address');
    return [...(bearer ? (['token'] as const) : []), ...(trusted ? (['internal_secret'] as const) : [])];
}

function inputOf(id: string, parameters: OperationObject['parameters'], body: Schema = {}): Schema | undefined {
    const properties: Record<string, Schema> = {};
    const required: string[] = [...(body.required ?? [])];
    for (const { name, in: place, required: must, description, schema } of parameters) {
        if (place === 'header') continue;
        properties[name] = { description, ...schema };
        if (must) required.push(name);
    }
    for (const [name, field] of Object.entries(body.properties ?? {})) {
        if (properties[name]) throw new Error(`${id} has two inputs with the name ${name}.`);
        properties[name] = field;
    }
    // A field that a header can carry is optional in both places of the document, but it must be given in one of them.
    required.push(...parameters.flatMap((parameter) => parameter['x-instead-of'] ?? []));
    return Object.keys(properties).length > 0 ? { type: 'object', properties, required } : undefined;
}

/** The data of a success: the envelope's `data`, or the whole answer if there is no envelope. */
function dataOf(document: OpenApi, { responses }: OperationObject): { schema: Schema; bare: boolean } {
    const success = responses['200'] ?? responses['201'];
    if (!success || !('content' in success)) throw new Error('An operation has no success.');
    const { schema } = mediaOf(success);
    const enveloped = schema.properties?.['data'];
    return { schema: resolved(document, enveloped ?? schema), bare: enveloped === undefined };
}

function resolved({ components }: OpenApi, schema: Schema): Schema {
    if (schema.$ref === undefined) return schema;
    return components.schemas[schema.$ref.split('/').at(-1) ?? ''] as Schema; // the document refers only to its own parts
}
