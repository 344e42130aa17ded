import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import {
    JsonError,
    JsonText,
    MAX_JSON_DEPTH,
    MAX_JSON_KEYS,
    parseJson,
    stringifyJson,
} from '../../../platform/json.ts';
import { requireJsonObject } from '../../../services/json-object.ts';
import { attempt, target } from '../parsers/target.ts';
import { jsonFacts } from './json-reference.ts';

const RAW: ReadonlySet<string> = new Set(['claims', 'metadata']);
const MAX_BODY_BYTES = 1 << 20;
const MAX_CLAIMS_BYTES = 64 << 10;
const SEEDS = [
    '{"issuer_did":"did:key:z6Mk","claims":{"role":"engineer","n":[1,2.5e3,-0]},"metadata":{"a":{}}}',
    '{ "claims" : { "x" : "\\u00e9\\ud83d\\ude00\\n" } , "list" : [ [ ] , { } , null , true , false ] }',
    '{"a":"\\\\\\"","__proto__":{"x":1},"cl\\u0061ims":{"claims":{}}}',
    '[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]',
    '"text"',
    '-12.5E-3',
];
const DICTIONARY = [
    ...[
        '"claims":{}',
        '"claims":',
        '"metadata":{"a":1}',
        '"cl\\u0061ims":{',
        '\\u0000',
        '\\ud83d',
        '\\ude00',
        '\\ud83d\\ude00',
    ],
    ...[
        '\\\\',
        '\\"',
        '1e400',
        '-1e309',
        '12345678901234567890',
        '1.0',
        '[',
        ']',
        '{',
        '}',
        '{"a":',
        '[[[[[[[[',
        ',"a":1',
    ],
    ...['"__proto__":', '"":', ' ', '\t', '\u00a0', '\u2028', 'null', 'true', ':', ',', '"'],
];

export const json = target({
    name: 'json',
    seeds: SEEDS,
    dictionary: DICTIONARY,
    maxBytes: MAX_BODY_BYTES,
    parse: (input) => read(input.toString(), RAW),
    check: (input, result) => judgeJson(input.toString(), result),
});

/** A text that stands for a JSON object in a gRPC field, as the services read it. */
export const jsonObject = target({
    name: 'json-object',
    seeds: ['{"role":"engineer"}', '{"a":{"b":[1]}}', '{}', '{},"claims":{}', '[]', ...SEEDS],
    dictionary: DICTIONARY,
    maxBytes: 4 << 20,
    parse: (input) => attempt(() => requireJsonObject('claims', input.toString(), MAX_CLAIMS_BYTES)),
    check(input, { refused }) {
        const text = input.toString();
        // A longer text is refused for its length. JSON.parse would take seconds for a longer text of brackets.
        const value = Buffer.byteLength(text) <= MAX_CLAIMS_BYTES ? parsed(text)?.value : undefined;
        const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
        const facts = isObject ? jsonFacts(text) : undefined;
        // requireJsonObject reads it as a member: one level deeper, with one more key, and without blanks around it.
        const good =
            facts && !isFaulty({ ...facts, depth: facts.depth + 1, keys: facts.keys + 1 }) && text.trim() === text;
        assert.equal(refused === undefined, Boolean(good), refused ?? 'accepted');
    },
});

type Read = { value: unknown } | { refused: string };

function read(text: string, raw: ReadonlySet<string>): Read {
    try {
        return { value: parseJson(text, { raw }) };
    } catch (error) {
        if (error instanceof JsonError) return { refused: error.message };
        throw error;
    }
}

function parsed(text: string): { value: unknown } | undefined {
    try {
        return { value: JSON.parse(text) };
    } catch {
        return undefined;
    }
}

/**
 * A text must be accepted exactly when JSON.parse accepts it and it is I-JSON within the bounds, with the same value.
 */
function judgeJson(text: string, result: Read): void {
    const expected = parsed(text);
    const facts = expected && jsonFacts(text);
    if ('refused' in result) {
        assert.ok(!facts || isFaulty(facts), `refused without a reason: ${result.refused}`);
        return;
    }
    assert.ok(facts, 'a text that is no JSON is accepted');
    assert.ok(!isFaulty(facts), `accepted: ${JSON.stringify({ ...facts, members: undefined })}`);
    const { value } = result;
    const written = stringifyJson(value);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
        takeTexts(value as Members, facts.members);
    assert.ok(isDeepStrictEqual(value, expected.value), 'JSON.parse gives another value');
    assert.ok(
        JSON.stringify(JSON.parse(written)) === JSON.stringify(expected.value),
        'the written text has another value than the text that was read',
    );
}

type Members = Record<string, unknown>;

/** Replaces each JsonText with its value. Its text must be the exact text of its member. */
function takeTexts(value: Members, written: ReadonlyMap<string, string>): void {
    for (const [name, member] of Object.entries(value)) {
        const text = written.get(name) ?? '';
        assert.equal(member instanceof JsonText, RAW.has(name) && text.startsWith('{'), name);
        if (!(member instanceof JsonText)) continue;
        assert.equal(member.text, text);
        value[name] = JSON.parse(text);
    }
}

function isFaulty(facts: ReturnType<typeof jsonFacts>): boolean {
    const { depth, keys, hasDuplicate, hasNul, hasLoneSurrogate, hasInfinity } = facts;
    const isTooLarge = depth > MAX_JSON_DEPTH || keys > MAX_JSON_KEYS;
    return isTooLarge || hasDuplicate || hasNul || hasLoneSurrogate || hasInfinity;
}
