import fc from 'fast-check';
import { z } from 'zod';
import type { Endpoint } from '../../../gateway/endpoint.ts';
import { type Call, INTERNAL_SECRET } from '../../../test/e2e/support/client.ts';
import { HEADERS, headerText, METHODS, oddJson, oddText } from './odd-values.ts';

/** A request as it is sent, valid or not. */
export interface WireCall {
    method: string;
    path: string;
    headers: Array<readonly [name: string, value: string]>;
    body: Buffer;
}

/** One change to a good request. A position is taken modulo the number of places. */
type Mutation =
    | { kind: 'drop' | 'duplicate'; at: number }
    | { kind: 'put'; at: number; json: string }
    | { kind: 'scramble'; at: number; place: number; text: string }
    | { kind: 'add'; name: string; json: string }
    | { kind: 'replace'; json: string }
    | { kind: 'cut' | 'flip'; at: number }
    | { kind: 'method'; text: string }
    | { kind: 'parameter'; at: number; text: string }
    | { kind: 'path'; text: string }
    | { kind: 'query'; name: string; text: string }
    | { kind: 'header'; name: string; text: string }
    | { kind: 'headerless'; at: number };

const position = fc.nat({ max: 1 << 24 });

/** Generates one to three changes to a request to the endpoint. */
export function mutationsOf(endpoint: Endpoint): fc.Arbitrary<Mutation[]> {
    const names = [...fieldsOf(endpoint.body), ...fieldsOf(endpoint.query), 'limit', 'cursor', 'derive', 'x'];
    const name = fc.oneof(fc.constantFrom(...names), oddText);
    const kind = <const Kind extends Mutation['kind']>(text: Kind) => fc.constant(text);
    const mutation: fc.Arbitrary<Mutation> = fc.oneof(
        { arbitrary: fc.record({ kind: kind('put'), at: position, json: oddJson }), weight: 6 },
        { arbitrary: fc.record({ kind: kind('scramble'), at: position, place: position, text: oddText }), weight: 4 },
        { arbitrary: fc.record({ kind: kind('parameter'), at: position, text: oddText }), weight: 3 },
        fc.record({ kind: fc.constantFrom('drop', 'duplicate'), at: position }),
        fc.record({ kind: kind('add'), name, json: oddJson }),
        fc.record({ kind: kind('replace'), json: oddJson }),
        fc.record({ kind: fc.constantFrom('cut', 'flip'), at: position }),
        fc.record({ kind: kind('method'), text: fc.constantFrom(...METHODS) }),
        fc.record({
            kind: kind('path'),
            text: fc.constantFrom('/', '//', '/.', '/..', '/%2e%2e', '%2F', '?', '#', ';a=b'),
        }),
        fc.record({ kind: kind('query'), name, text: oddText }),
        fc.record({ kind: kind('header'), name: fc.constantFrom(...HEADERS), text: headerText }),
        fc.record({ kind: kind('headerless'), at: position }),
    );
    return fc.array(mutation, { minLength: 1, maxLength: 3 });
}

function fieldsOf(schema: z.ZodType | undefined): string[] {
    return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}

/** A good request with the mutations applied, in their order. */
export function mutate(call: Call, endpoint: Endpoint, mutations: readonly Mutation[]): WireCall {
    const draft = new Draft(call, endpoint);
    for (const mutation of mutations) draft.apply(mutation);
    return draft.finish();
}

/**
 * A request that mutations change. Body members are JSON text, so that a body may repeat a member or be invalid JSON.
 */
class Draft {
    private method: string;
    private segments: string[];
    private query: string;
    private members: Array<{ name: string; value: unknown; json?: string }>;
    private body: string | undefined;
    private headers: Array<readonly [string, string]> = [];
    private damages: Array<(bytes: Buffer) => Buffer> = [];
    private suffix = '';
    private readonly parameters: number[];

    constructor({ method = 'GET', path, token, internal, body, headers }: Call, endpoint: Endpoint) {
        this.method = method;
        const [target = '', query = ''] = path.split('?', 2);
        this.segments = target.split('/');
        this.query = query;
        this.members = Object.entries(body ?? {}).map(([name, value]) => ({ name, value }));
        this.parameters = endpoint.path.split('/').flatMap((part, at) => (part.startsWith('{') ? [at] : []));
        this.headers.push(...Object.entries(headers ?? {}));
        if (token !== undefined) this.headers.push(['Authorization', `Bearer ${token}`]);
        if (internal) this.headers.push(['X-Internal-Secret', INTERNAL_SECRET]);
        if (body !== undefined) this.headers.push(['Content-Type', 'application/json']);
    }

    apply(mutation: Mutation): void {
        switch (mutation.kind) {
            case 'drop':
                this.members.splice(mutation.at % (this.members.length || 1), 1);
                break;
            case 'duplicate':
                this.members.push(...this.members.slice(mutation.at % (this.members.length || 1)).slice(0, 1));
                break;
            case 'put':
                this.change(mutation.at, () => mutation.json);
                break;
            case 'scramble':
                this.change(mutation.at, (value) => JSON.stringify(scrambled(value, mutation.place, mutation.text)));
                break;
            case 'add':
                this.members.push({ name: mutation.name, value: null, json: mutation.json });
                break;
            case 'replace':
                this.body = mutation.json;
                break;
            case 'cut':
                this.damages.push((bytes) => bytes.subarray(0, mutation.at % (bytes.length + 1)));
                break;
            case 'flip':
                this.damages.push((bytes) => flipped(bytes, mutation.at));
                break;
            case 'method':
                this.method = mutation.text;
                break;
            case 'parameter': {
                const at = this.parameters[mutation.at % (this.parameters.length || 1)];
                if (at !== undefined) this.segments[at] = sendable(mutation.text).slice(0, 8_000);
                break;
            }
            case 'path':
                this.suffix += mutation.text;
                break;
            case 'query':
                this.query += `&${sendable(mutation.name)}=${sendable(mutation.text)}`.slice(0, 8_000);
                break;
            case 'header':
                this.headers.push([mutation.name, mutation.text]);
                break;
            case 'headerless':
                this.headers.splice(mutation.at % (this.headers.length || 1), 1);
        }
    }

    /** Replaces one value of the body, at any depth, with the text that `jsonOf` returns. */
    private change(at: number, jsonOf: (value: unknown) => string): void {
        const places = this.members.flatMap((member) => placesIn(member.value).map((path) => ({ member, path })));
        const place = places[at % (places.length || 1)];
        if (!place) return;
        const marker = '\u0001here\u0001';
        const { tree, value } = withMarker(place.member.value, place.path, marker);
        place.member.json = JSON.stringify(tree).replace(JSON.stringify(marker), () => jsonOf(value));
    }

    finish(): WireCall {
        const members = this.members.map(
            ({ name, value, json }) => `${JSON.stringify(name)}:${json ?? JSON.stringify(value)}`,
        );
        const text = this.body ?? (members.length > 0 ? `{${members.join(',')}}` : '');
        const body = this.damages.reduce<Buffer>((bytes, damage) => damage(bytes), Buffer.from(text));
        const path = this.segments.join('/') + this.suffix;
        return { method: this.method, path: this.query ? `${path}?${this.query}` : path, headers: this.headers, body };
    }
}

type Path = readonly string[];

/** The paths to all values inside a value, itself first. */
function placesIn(value: unknown): Path[] {
    if (typeof value !== 'object' || value === null) return [[]];
    const inner = Object.entries(value as object).flatMap(([name, child]) =>
        placesIn(child).map((path) => [name, ...path]),
    );
    return [[], ...inner];
}

/** A copy of the value with the marker in one place, and the value that the marker replaces. */
function withMarker(value: unknown, [first, ...rest]: Path, marker: string): { tree: unknown; value: unknown } {
    if (first === undefined) return { tree: marker, value };
    const copy = structuredClone(value) as Record<string, unknown>; // placesIn found objects along this path
    const inner = withMarker(copy[first], rest, marker);
    copy[first] = inner.tree;
    return { tree: copy, value: inner.value };
}

/** The text with one character replaced. A value that is no text counts as empty. */
function scrambled(value: unknown, place: number, text: string): string {
    const chars = typeof value === 'string' ? [...value] : [];
    chars.splice(place % (chars.length || 1), 1, text.slice(0, 3));
    return chars.join('');
}

function flipped(bytes: Buffer, at: number): Buffer {
    const copy = Buffer.from(bytes);
    const byte = (at >> 3) % (copy.length || 1);
    if (copy.length > 0) copy[byte] = (copy[byte] ?? 0) ^ (1 << (at & 7));
    return copy;
}

/** A text in a form that an HTTP client accepts in a request target: escapes stay, other characters are escaped. */
function sendable(text: string): string {
    return encodeURIComponent(text.toWellFormed()).replaceAll('%25', '%');
}
