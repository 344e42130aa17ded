import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { JsonError, JsonText, MAX_JSON_DEPTH, parseJson } from '../../../platform/json.ts';

const OPTIONS = { raw: new Set(['claims']), list: 'items' };

/** The texts that parseJson keeps of the members `claims` of all items; undefined for an item without one. */
function kept(body: string): unknown[] {
    const { items } = parseJson(body, OPTIONS) as { items: Array<{ claims?: unknown } | null> };
    return items.map((item) => (item?.claims instanceof JsonText ? item.claims.text : item?.claims));
}

const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

test('a raw member of each item keeps its text, whatever surrounds it', () => {
    const blanks = fc.stringMatching(/^[ \t\n\r]{0,3}$/);
    const item = fc.record({ claims: fc.option(fc.object()), other: fc.json(), before: blanks, after: blanks });
    fc.assert(
        fc.property(fc.array(fc.option(item)), fc.json(), (items, other) => {
            const texts = items.map((each) => each && JSON.stringify(each.claims, null, each.before));
            const written = items.map((each, index) =>
                each === null
                    ? other
                    : `{"x":${each.other},${each.before}"claims"${each.after}:${texts[index]}${each.after},"y":[{}]}`,
            );
            const body = `{"before":${other},"items":[${written}],"after":{"items":[{"claims":{}}]}}`;
            const expected = items.map((each, index) => {
                if (each !== null) return each.claims === null ? null : texts[index];
                const value = JSON.parse(other);
                return value?.claims === undefined ? undefined : assert.fail('not made by fc.json');
            });
            assert.deepEqual(kept(body), expected);
        }),
    );
});

test('items that are no objects do not shift the texts of the others', () => {
    const body = '{"items":[1,[2,{"claims":{}}],"a,b",{"claims":{"n":1.0}},null,{"claims":"x"},{"claims":{ }}]}';
    assert.deepEqual(kept(body), [undefined, undefined, undefined, '{"n":1.0}', undefined, 'x', '{ }']);
});

test('only the list of the outermost object has raw members', () => {
    for (const body of [
        '{"a":{"items":[{"claims":{}}]}}',
        '{"items":{"a":{"claims":{}}}}',
        '{"items":[[{"claims":{}}]]}',
        '{"items":[{"a":{"claims":{}}}]}',
        '{"items":[],"other":[{"claims":{}}]}',
        '[[{"claims":{}}]]',
    ]) {
        assert.deepEqual(parseJson(body, OPTIONS), JSON.parse(body));
    }
});

test('a raw member of the outermost object may follow or precede the list', () => {
    for (const body of [
        '{"items":[{"claims":{"a":1}}],"claims":{"b":2}}',
        '{"claims":{"b":2},"items":[{"claims":{"a":1}}]}',
    ]) {
        assert.deepEqual(kept(body), ['{"a":1}']);
        assert.equal((parseJson(body, OPTIONS) as { claims: JsonText }).claims.text, '{"b":2}');
    }
});

test('an item may be nested as deeply as a text of its own, and nothing else deeper', () => {
    const claims = (levels: number) => `{"claims":{"a":${nested(levels)}}}`;
    const deepest = MAX_JSON_DEPTH - 2;
    parseJson(claims(deepest), OPTIONS);
    parseJson(`{"items":[${claims(deepest)}]}`, OPTIONS);
    for (const body of [
        claims(deepest + 1),
        `{"items":[${claims(deepest + 1)}]}`,
        `{"items":[${claims(deepest)}],"b":${nested(MAX_JSON_DEPTH)}}`,
    ]) {
        assert.throws(() => parseJson(body, OPTIONS), JsonError, body);
    }
});

test('a key that an item has twice is refused', () => {
    assert.throws(() => parseJson('{"items":[{"claims":{},"claims":{}}]}', OPTIONS), /a key stands twice/);
    assert.throws(() => parseJson('{"items":[{"claims":{"a":1,"\\u0061":2}}]}', OPTIONS), /a key stands twice/);
    assert.throws(() => parseJson('{"items":[],"items":[]}', OPTIONS), /a key stands twice/);
});
