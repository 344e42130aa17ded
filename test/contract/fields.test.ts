import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { piecesOf } from '../../gateway/batch-answer.ts';
import type { Endpoint } from '../../gateway/endpoint.ts';
import { LineStream } from '../../gateway/exports/line-stream.ts';
import { parse } from '../../gateway/fields.ts';
import { ListAnswer, shownList } from '../../gateway/lists.ts';
import { answerSchemaOf, type Schema, schemaOf } from '../../gateway/openapi/schemas.ts';
import { JsonText, stringifyJson } from '../../platform/json.ts';
import { testContext } from '../support/context.ts';
import { endpoints } from '../support/openapi.ts';
import { fullServices } from './service-messages.ts';

/** Optional fields of requests whose value reaches no service, and why. */
const UNSENT: Record<string, string> = {
    'status_lists.get query.time': 'every value is refused',
    'exchange.credential body.credential_response_encryption': 'it is refused, whatever it is',
    'exchange.credential body.proofs': 'without a list of JWTs, it is as if it were absent',
};

/** Fields of answers that are not shown when every service succeeds and knows everything, and why. */
const UNSHOWN = [
    /^(internal\.)?credentials\.batch\.\w+ results\.(code|error)$/, // of a failed item
    /^credentials\.by_(issuer|subject) credentials\.(issuer|subject)$/, // the one that the request names
    /^keys\.(generate|rotate) last_used_at$/, // of a new key, which is always null
];

const PARTS = ['params', 'query', 'headers', 'body'] as const;
type Part = (typeof PARTS)[number];
/** The names of a field and of those that contain it. */
type Path = readonly string[];

/** The optional fields below a schema, at any depth. */
function optionalFields({ properties = {}, required = [], items, anyOf }: Schema, at: Path = []): Path[] {
    const inner = items ?? anyOf?.[0];
    if (inner) return optionalFields(inner, at);
    return Object.entries(properties).flatMap(([name, field]) => {
        const path = [...at, name];
        return [...(required.includes(name) ? [] : [path]), ...optionalFields(field, path)];
    });
}

/** True if one path leads to something inside of the other. */
function isInside(path: Path, outer: Path): boolean {
    return path.length > outer.length && outer.every((name, index) => path[index] === name);
}

/** Which of two values a field gets. An optional field without a choice is not sent, and others get the first value. */
type Choice = (path: Path) => 0 | 1 | undefined;

function sample(schema: Schema, choose: Choice, at: Path = []): unknown {
    const { properties, required = [], items, anyOf, contentEncoding, minimum = 0, maximum = 9 } = schema;
    if (anyOf?.[0]) return sample(anyOf[0], choose, at); // the others are null
    if (items) return [sample(items, choose, at)];
    if (properties) {
        const isSent = (name: string) => required.includes(name) || choose([...at, name]) !== undefined;
        const sent = Object.entries(properties).filter(([name]) => isSent(name));
        return Object.fromEntries(sent.map(([name, field]) => [name, sample(field, choose, [...at, name])]));
    }
    const bytes = [1, 2].map((byte) => Buffer.alloc(32, byte).toString('base64'));
    const byType: Record<string, unknown[]> = {
        object: [new JsonText('{"a":1}'), new JsonText('{"b":2}')],
        boolean: [true, false],
        integer: [minimum, maximum],
        number: [minimum, maximum],
        string: schema.enum ?? (contentEncoding ? bytes : ['the first text', 'another text']),
    };
    return byType[[schema.type].flat()[0] as string]?.[choose(at) ?? 0]; // the fields have no other types
}

type Sent = Partial<Record<Part, unknown>>;

/** Calls an endpoint with these parts of a request, and returns the answer as clients get it. */
async function call(endpoint: Endpoint, sent: Sent, note: (request: unknown) => void = () => {}): Promise<unknown> {
    const read = (part: Part) =>
        endpoint[part] && parse(endpoint[part], part === 'body' ? sent.body : texts(sent[part]));
    const context = testContext();
    const data = await endpoint.call({
        params: read('params'),
        query: read('query'),
        headers: read('headers'),
        body: read('body'),
        bearer: 'token',
        sentAsDpop: true,
        ip: '192.0.2.1',
        services: fullServices(note),
        context,
    });
    if (data instanceof LineStream) {
        const lines: unknown[] = [];
        for await (const page of data.pages(context)) lines.push(...page.map((line) => z.parse(endpoint.answer, line)));
        return asSent(lines);
    }
    const answer = endpoint.answer as z.ZodObject; // only documents are texts
    if (data instanceof ListAnswer) {
        const { limit = 1, cursor } = data.paging;
        const page = await shownList(answer, data).fetch({ limit, cursor, with_total: true }, context);
        return asSent({ ...page.head, [data.field]: page.rows, total: page.total });
    }
    if (endpoint.batch === undefined) return asSent(answer.parse(data));
    let text = '';
    for await (const piece of piecesOf(answer, data as Record<string, unknown>)) text += piece;
    return JSON.parse(text);
}

/** Fields outside of the body as they are sent. */
function texts(fields: unknown): Record<string, string> {
    return Object.fromEntries(Object.entries(fields as object).map(([name, value]) => [name, String(value)]));
}

const asSent = (data: unknown): unknown => JSON.parse(stringifyJson(data));

/** A request to an endpoint. `choose` also gets the part of the request. */
function requestTo(endpoint: Endpoint, choose: (part: Part, path: Path) => ReturnType<Choice>): Sent {
    const parts = PARTS.flatMap((part) => {
        const schema = endpoint[part];
        return schema ? [[part, sample(schemaOf(schema), (path) => choose(part, path))]] : [];
    });
    return Object.fromEntries(parts);
}

/** The requests that the services get, as text, if one optional field is sent with one of two values, or not at all. */
async function askedWith(endpoint: Endpoint, part: Part, path: Path, value: 0 | 1 | undefined): Promise<string> {
    const request = requestTo(endpoint, (at, other) => {
        if (at !== part) return at === 'headers' ? 0 : undefined; // without the password of a wallet all is refused
        const isOnPath = other.every((name, index) => path[index] === name);
        if (!isOnPath) return undefined;
        return other.length === path.length ? value : 0;
    });
    const asked: unknown[] = [];
    // The services may answer what the endpoint refuses. Here only the requests count.
    await call(endpoint, request, (message) => asked.push(message)).catch(() => {});
    return JSON.stringify(asked);
}

/** The fields below a schema that a value lacks, at any depth. */
function lacking(schema: Schema, value: unknown, at: Path = []): string[] {
    const { properties, items, anyOf = [] } = schema;
    if (items) return lacking(items, (value as unknown[])[0], at);
    const fields = [properties ?? {}, ...anyOf.map((each) => each.properties ?? {})].flatMap(Object.entries<Schema>);
    return fields.flatMap(([name, field]) => {
        const shown = (value as Record<string, unknown>)[name] ?? undefined;
        return shown === undefined ? [[...at, name].join('.')] : lacking(field, shown, [...at, name]);
    });
}

/** The fields of lines of each kind that no line of the kind has. */
function lackingInLines({ anyOf: kinds = [] }: Schema, lines: unknown): string[] {
    const byKind = new Map((lines as Array<{ kind: unknown }>).map((line) => [line.kind, line]));
    return kinds.flatMap((schema) => {
        const kind = schema.properties?.['kind']?.const;
        return lacking(schema, byKind.get(kind) ?? {}, [String(kind)]);
    });
}

describe('an endpoint', () => {
    for (const endpoint of endpoints) {
        test(`${endpoint.id} passes every optional field of its request on`, async () => {
            const fields = PARTS.flatMap((part) => {
                const schema = endpoint[part];
                return schema ? optionalFields(schemaOf(schema)).map((path) => ({ part, path })) : [];
            });
            for (const { part, path } of fields) {
                const name = `${endpoint.id} ${part}.${path.join('.')}`;
                const first = await askedWith(endpoint, part, path, 0);
                // What holds optional fields is compared with its absence.
                const holds = fields.some((other) => other.part === part && isInside(other.path, path));
                const isSwallowed = first === (await askedWith(endpoint, part, path, holds ? undefined : 1));
                assert.equal(isSwallowed, name in UNSENT, `${name} has ${isSwallowed ? 'no' : 'an'} effect`);
            }
        });

        if (endpoint.document) continue; // a text
        test(`${endpoint.id} shows every field that it declares and its services return`, async () => {
            const answer = await call(
                endpoint,
                requestTo(endpoint, (part) => (part === 'query' ? undefined : 0)),
            );
            if (answer === undefined) return; // documents are texts
            const schema = answerSchemaOf(endpoint.answer);
            const fields = endpoint.streams ? lackingInLines(schema, answer) : lacking(schema, answer);
            const lost = fields.map((field) => `${endpoint.id} ${field}`);
            assert.deepEqual(
                lost.filter((name) => !UNSHOWN.some((known) => known.test(name))),
                [],
            );
        });
    }
});
