import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { Validator } from '@seriousme/openapi-schema-validator';
import { mediaOf, type OperationObject } from '../../gateway/openapi/document.ts';
import { GLOSSARY } from '../../gateway/openapi/glossary.ts';
import { isVariant, operationOf } from '../../gateway/openapi/operations/index.ts';
import { document, endpoints, faults, operations, resolve } from '../support/openapi.ts';

/** Every object inside a value, at any depth, including the value itself. */
function* objects(value: unknown): Generator<Record<string, unknown>> {
    if (typeof value !== 'object' || value === null) return;
    if (!Array.isArray(value)) yield value as Record<string, unknown>; // any object has keys
    for (const part of Object.values(value)) yield* objects(part);
}

/** The folder with the notes of the endpoints. */
const NOTES = 'gateway/openapi/operations/';

/** Fails if an example does not have the form of its schema. The error says why. */
function assertMatches(schema: object, example: unknown, where: string): void {
    const found = faults(schema, example).join('; ');
    assert.equal(found, '', `the example of ${where} does not match its schema: ${found}. Correct it in ${NOTES}`);
}

/** Every field that an operation reads or answers with, at any depth, without the fields of the envelope. */
function fieldsOf({ parameters, requestBody, responses }: OperationObject): Field[] {
    const success = responses['200'] ?? responses['201'];
    const schemas = [...objects([requestBody, success])].flatMap(({ $ref }) =>
        String($ref).startsWith('#/components/schemas/') ? [resolve(String($ref))] : [],
    );
    const properties = [...objects(schemas)].flatMap((schema) => Object.entries(schema['properties'] ?? {}));
    return [
        ...parameters.map((field) => (field.in === 'header' ? { ...field, name: field.name.toLowerCase() } : field)),
        ...properties.map(([name, field]) => ({ ...field, name })),
    ];
}

interface Field {
    name: string;
    description?: string;
}

describe('the OpenAPI document', () => {
    test('is valid by the meta-schema of OpenAPI 3.1', async () => {
        const { valid, errors } = await new Validator().validate(structuredClone(document) as never);
        assert.ok(valid, JSON.stringify(errors));
    });

    test('has every endpoint once', () => {
        assert.deepEqual(
            operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`).sort(),
            endpoints.map(({ method, path }) => `${method} ${path}`).sort(),
        );
        assert.equal(new Set(operations.map(({ operation }) => operation.operationId)).size, operations.length);
    });

    test('refers only to definitions that it has, and to each of its components', () => {
        const security = operations.flatMap(({ operation }) => operation.security.flatMap((all) => Object.keys(all)));
        const references = new Set([
            ...[...objects(document)].flatMap(({ $ref }) => (typeof $ref === 'string' ? [$ref] : [])),
            ...security.map((scheme) => `#/components/securitySchemes/${scheme}`), // named without a $ref
        ]);
        assert.deepEqual(
            [...references].filter((reference) => resolve(reference) === undefined),
            [],
        );
        const components = Object.entries(document.components).flatMap(([kind, named]) =>
            Object.keys(named).map((name) => `#/components/${kind}/${name}`),
        );
        assert.deepEqual(
            components.filter((component) => !references.has(component)),
            [],
        );
    });

    test('declares every parameter of every path', () => {
        for (const { path, operation } of operations) {
            const declared = operation.parameters.filter((parameter) => parameter.in === 'path');
            const named = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => name);
            assert.deepEqual(declared.map(({ name }) => name).sort(), named.sort(), path);
            assert.ok(
                declared.every(({ required, example }) => required && typeof example === 'string'),
                `${operation.operationId}: give every parameter of the path in \`example.params\`, in ${NOTES}`,
            );
        }
    });

    test('describes every field', () => {
        const lost = operations.flatMap(({ operation }) =>
            fieldsOf(operation).flatMap(({ name, description }) =>
                description ? [] : [`${name} of ${operation.operationId}`],
            ),
        );
        assert.ok(
            lost.length === 0,
            `Describe ${lost.join(', ')}: in \`fields\` of the endpoint in ${NOTES}, or in gateway/openapi/glossary.ts if the field means the same in several endpoints.`,
        );
    });

    test('has no description of a field twice, and none of a field that is gone', () => {
        const shared = new Set<string>();
        const described = operations.flatMap(({ operation }) => {
            const names = new Set(fieldsOf(operation).map(({ name }) => name));
            for (const name of names) shared.add(name);
            if (isVariant(operation.operationId)) return []; // its notes are those of the public endpoint
            const { fields = {} } = operationOf(operation.operationId);
            const gone = Object.keys(fields).filter((name) => !names.has(name));
            assert.deepEqual(gone, [], `${operation.operationId} has no such fields: remove them from its notes`);
            return Object.entries(fields);
        });
        // Several endpoints may share a meaning that differs from the glossary's.
        const twice = described.filter(([name, term], index) =>
            name in GLOSSARY
                ? isDeepStrictEqual(GLOSSARY[name], term)
                : described.slice(0, index).some((other) => isDeepStrictEqual(other, [name, term])),
        );
        assert.deepEqual(twice, [], 'keep one description of each, in gateway/openapi/glossary.ts');
        const gone = Object.keys(GLOSSARY).filter((name) => !shared.has(name));
        assert.deepEqual(gone, [], 'no endpoint has such fields: remove them from gateway/openapi/glossary.ts');
    });

    test('describes every answer of every endpoint, with a schema, an example and the rate-limit headers', () => {
        for (const { operation } of operations) {
            for (const [status, response] of Object.entries(operation.responses)) {
                const { description, headers, content } = (
                    '$ref' in response && response.$ref ? resolve(response.$ref) : response
                ) as Exclude<typeof response, { $ref: string }>; // these references lead to responses
                const where = `${operation.operationId} ${status}`;
                assert.ok(description.length > 0, where);
                const isPublic = 'Cache-Control' in headers;
                for (const name of ['X-RateLimit-Remaining', 'X-Request-Id'])
                    assert.equal(name in headers, !isPublic, `${where}: ${name}`);
                const { schema, example } = mediaOf({ content });
                assertMatches(schema, example, where);
                assert.equal('X-Error-Code' in headers, status >= '400', where);
            }
        }
    });

    test('states the credentials of every endpoint, and how it refuses callers without them', () => {
        const schemes = Object.keys(document.components.securitySchemes);
        for (const { operation } of operations) {
            const asked = operation.security.flatMap((all) => Object.keys(all));
            assert.ok(asked.every((scheme) => schemes.includes(scheme)));
            if (asked.length > 0) assert.ok('401' in operation.responses && '429' in operation.responses);
        }
    });
});

test('no example has a private key that a managed issuer need not send', () => {
    const withKey = operations.flatMap(({ operation: { operationId, requestBody } }) => {
        const sent = Object.keys(Object(requestBody && mediaOf(requestBody).example));
        return sent.some((name) => name.endsWith('_private_key')) ? [operationId] : [];
    });
    assert.deepEqual(withKey, []);
});

describe('the example of', () => {
    for (const { id, params, query, headers, body } of endpoints) {
        test(`${id} is a request that the endpoint and the document accept`, () => {
            const { example } = operationOf(id);
            params?.parse(example.params);
            query?.parse(example.query ?? {});
            headers?.parse(example.headers ?? {});
            assert.equal(
                example.body !== undefined,
                body !== undefined,
                `give ${id} a \`body\` in its \`example\` exactly if it reads one, in ${NOTES}`,
            );
            const { requestBody } = operations.find(({ operation }) => operation.operationId === id)?.operation ?? {};
            if (!requestBody) return;
            const { schema, example: sent } = mediaOf(requestBody);
            assertMatches(schema, sent, id);
        });
    }
});
