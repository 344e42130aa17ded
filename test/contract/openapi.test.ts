import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { GLOSSARY } from '../../gateway/openapi/glossary.ts';
import { operationOf } from '../../gateway/openapi/operations/index.ts';
import { document, endpoints, faults, operations, resolve } from '../support/openapi.ts';

/** Every object inside a value, at any depth, including the value itself. */
function* objects(value: unknown): Generator<Record<string, unknown>> {
    if (typeof value !== 'object' || value === null) return;
    if (!Array.isArray(value)) yield value as Record<string, unknown>; // any object has keys
    for (const part of Object.values(value)) yield* objects(part);
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

    test('refers only to definitions that it has, and to each of its schemas', () => {
        const references = new Set(
            [...objects(document)].flatMap(({ $ref }) => (typeof $ref === 'string' ? [$ref] : [])),
        );
        assert.deepEqual(
            [...references].filter((reference) => resolve(reference) === undefined),
            [],
        );
        const schemas = Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`);
        assert.deepEqual(
            schemas.filter((schema) => !references.has(schema)),
            [],
        );
    });

    test('declares every parameter of every path', () => {
        for (const { path, operation } of operations) {
            const declared = operation.parameters.filter((parameter) => parameter.in === 'path');
            const named = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => name);
            assert.deepEqual(declared.map(({ name }) => name).sort(), named.sort(), path);
            assert.ok(declared.every(({ required, example }) => required && typeof example === 'string'));
        }
    });

    test('describes every field', () => {
        const fields = [...objects(document)].flatMap(({ properties }) =>
            typeof properties === 'object' ? Object.keys(properties ?? {}) : [],
        );
        const known = ['message', 'data', ...Object.keys(GLOSSARY)];
        assert.deepEqual(
            [...new Set(fields)].filter((name) => !known.includes(name)),
            [],
        );
    });

    test('describes every answer of every endpoint, with a schema, an example and the rate-limit headers', () => {
        for (const { operation } of operations) {
            for (const [status, response] of Object.entries(operation.responses)) {
                const { description, headers, content } = (
                    '$ref' in response && response.$ref ? resolve(response.$ref) : response
                ) as Exclude<typeof response, { $ref: string }>; // these references lead to responses
                const where = `${operation.operationId} ${status}`;
                assert.ok(description.length > 0 && 'X-RateLimit-Remaining' in headers, where);
                const { schema, example } = content['application/json'];
                assert.deepEqual(faults(schema, example), [], where);
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

describe('the example of', () => {
    for (const { id, params, query, headers, body } of endpoints) {
        test(`${id} is a request that the endpoint and the document accept`, () => {
            const { example } = operationOf(id);
            params?.parse(example.params);
            query?.parse(example.query ?? {});
            headers?.parse(example.headers ?? {});
            assert.equal(body !== undefined, example.body !== undefined);
            const { operation } = operations.find((listed) => listed.operation.operationId === id) ?? {};
            if (example.body)
                assert.deepEqual(
                    faults(operation?.requestBody?.content['application/json'].schema ?? {}, example.body),
                    [],
                );
        });
    }
});
