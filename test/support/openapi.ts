import { Ajv2020 } from 'ajv/dist/2020.js';
import { endpointTable, interfaceParts } from '../../gateway/endpoints/index.ts';
import { type OpenApi, type OperationObject, openApi } from '../../gateway/openapi/document.ts';

const PROBES = { version: '', cache: async () => {}, clock: Date.now };

export const endpoints = endpointTable(PROBES);

/** The document as clients get it. */
export const document = JSON.parse(JSON.stringify(openApi(interfaceParts(PROBES), '1.2.3'))) as OpenApi;

interface Listed {
    path: string;
    method: string;
    operation: OperationObject;
}

export const operations: Listed[] = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
);

/** The value at a pointer such as `#/components/schemas/Error`. Undefined if there is none. */
export function resolve(reference: string): unknown {
    const names = reference.split('/').slice(1);
    return names.reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], document);
}

/** One validator for all schemas, because it would compile the whole document again for each of several. */
const ajv = new Ajv2020({
    allErrors: true,
    strict: false,
    formats: {
        'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
        uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
    },
}).addSchema({ components: document.components }, 'document');

/** By the text of their schema: compiling one takes much longer than a check, and an answer may have thousands of lines. */
const checks = new Map<string, ReturnType<typeof ajv.compile>>();

/** The errors in a value by a schema of the document. The validator is independent of the service's code. */
export function faults(schema: object, value: unknown): string[] {
    const inDocument = JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/');
    const check = checks.get(inDocument) ?? ajv.compile(JSON.parse(inDocument));
    checks.set(inDocument, check);
    if (check(value)) return [];
    return (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}
