import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import {
    JsonError,
    JsonText,
    MAX_JSON_DEPTH,
    MAX_JSON_KEYS,
    parseJson,
    stringifyJson,
} from '../../../platform/json.ts';

const NONE: ReadonlySet<string> = new Set();
const CLAIMS: ReadonlySet<string> = new Set(['claims']);

const refuses = (text: string, reason: string) =>
    assert.throws(() => parseJson(text, { raw: NONE }), { name: 'JsonError', message: reason }, JSON.stringify(text));

/** The text that parseJson keeps of a member `claims` written as given. */
function kept(claims: string): unknown {
    const { claims: text } = parseJson(`{"a":[1],"claims":${claims},"b":{"claims":{}}}`, { raw: CLAIMS }) as {
        claims: unknown;
    };
    return text instanceof JsonText ? text.text : text;
}

test('an accepted text has the value that JSON.parse gives it', () => {
    fc.assert(
        fc.property(fc.json({ maxDepth: 8 }), (text) => {
            assert.deepEqual(parseJson(text, { raw: NONE }), JSON.parse(text));
        }),
        { numRuns: 2000 },
    );
});

test('a text that JSON.parse refuses is refused', () => {
    const pieces = fc.constantFrom(...'{}[]":,\\', '\\u', 'd800', ...'1-e. a', 'null');
    fc.assert(
        fc.property(fc.array(pieces, { maxLength: 14 }), (parts) => {
            const text = parts.join('');
            let value: unknown;
            try {
                value = JSON.parse(text);
            } catch {
                assert.throws(() => parseJson(text, { raw: CLAIMS }), JsonError, text);
                return;
            }
            try {
                assert.deepEqual(parseJson(text, { raw: NONE }), value);
            } catch (error) {
                assert.ok(error instanceof JsonError && error.message !== 'not valid JSON', text);
            }
        }),
        { numRuns: 20_000 },
    );
});

test('a raw member keeps its text: numbers, key order, blanks, escapes', () => {
    for (const claims of [
        '{"n":12345678901234567890,"one":1.0,"zero":-0,"e":1E2}',
        '{"10":1,"9":2,"a":3,"1":4}',
        '{ "a" :\t[ 1 , 2 ]\r\n, "b" : { } }',
        '{"\\u0041":"\\ud83d\\ude00 } ] \\" \\\\"}',
        '{"__proto__":{"x":1},"constructor":{},"claims":{}}',
        '{}',
    ]) {
        assert.equal(kept(claims), claims);
    }
});

test('a raw member keeps its text, whatever surrounds it', () => {
    const blanks = fc.stringMatching(/^[ \t\n\r]{0,3}$/);
    fc.assert(
        fc.property(fc.object(), fc.json(), blanks, blanks, (claims, other, before, after) => {
            const text = JSON.stringify(claims, null, before);
            const body = `{"x":${other},${before}"claims"${after}:${before}${text}${after},"y":${other}}`;
            const { claims: slice } = parseJson(body, { raw: CLAIMS }) as { claims: JsonText };
            assert.equal(slice.text, text);
            assert.deepEqual(JSON.parse(slice.text), JSON.parse(body).claims);
        }),
    );
});

test('a raw member is kept as text only if it is an object and a member of the outermost object', () => {
    for (const claims of ['[]', '"x"', 'null', '5', 'true']) assert.deepEqual(kept(claims), JSON.parse(claims));
    assert.deepEqual(parseJson('[{"claims":{}}]', { raw: CLAIMS }), [{ claims: {} }]);
    assert.deepEqual(parseJson('{"a":{"claims":{}}}', { raw: CLAIMS }), { a: { claims: {} } });
});

test('the name of a raw member may contain escapes', () => {
    const { claims } = parseJson('{"cl\\u0061ims":{"a":1}}', { raw: CLAIMS }) as { claims: JsonText };
    assert.equal(claims.text, '{"a":1}');
});

test('duplicate keys are refused at every level, even if they are escaped differently', () => {
    refuses('{"a":1,"a":2}', 'a key stands twice in one object');
    refuses('{"a":1,"\\u0061":2}', 'a key stands twice in one object');
    refuses('[{"b":{"":1,"c":[],"":1}}]', 'a key stands twice in one object');
    refuses('{"__proto__":1,"__proto__":2}', 'a key stands twice in one object');
    assert.deepEqual(parseJson('[{"a":1},{"a":{"a":2}}]', { raw: NONE }), [{ a: 1 }, { a: { a: 2 } }]);
    const key = fc.string({ unit: 'binary', maxLength: 20 }).map((text) => text.toWellFormed().replaceAll('\0', ''));
    fc.assert(
        fc.property(fc.uniqueArray(key, { minLength: 1, maxLength: 20 }), fc.nat(), (keys, pick) => {
            const members = keys.map((key) => `${JSON.stringify(key)}:0`);
            parseJson(`{${members.join(',')}}`, { raw: NONE });
            const twice = [...members, members[pick % members.length]];
            assert.throws(() => parseJson(`{${twice.join(',')}}`, { raw: NONE }), /a key stands twice/);
        }),
    );
});

test('__proto__ is an ordinary key and changes no prototype', () => {
    const value = parseJson('{"__proto__":{"admin":true},"claims":{}}', { raw: new Set(['__proto__']) }) as object;
    assert.deepEqual(Object.keys(value), ['__proto__', 'claims']);
    assert.equal(Object.getPrototypeOf(value), Object.prototype);
    assert.equal('admin' in value, false);
});

test('NUL and lone surrogates are refused in strings and in keys, whether literal or escaped', () => {
    for (const bad of ['\\u0000', 'a\\u0000b']) {
        refuses(`{"x":["${bad}"]}`, 'NUL character in a string');
        refuses(`{"${bad}":1}`, 'NUL character in a string');
    }
    for (const bad of [
        '\\ud800',
        '\\udc00',
        '\\uDBFFx',
        '\\ud800\\ud800',
        '\\udc00\\ud800',
        '\ud800',
        '\udc00',
        '\ud83d\\ude00',
    ]) {
        refuses(`{"x":["${bad}"]}`, 'lone surrogate in a string');
        refuses(`{"${bad}":1}`, 'lone surrogate in a string');
    }
    for (const good of ['\\ud83d\\ude00', '\u{1f600}', '\\uffff', '\\u0001', '\\\\u0000', '\\\\ud800']) {
        assert.equal(parseJson(`"${good}"`, { raw: NONE }), JSON.parse(`"${good}"`));
    }
});

test('any string of UTF-16 units is accepted exactly when it is well formed and free of NUL', () => {
    const unit = fc.oneof(
        fc.constantFrom(0, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0x41),
        fc.integer({ min: 0, max: 0xffff }),
    );
    fc.assert(
        fc.property(fc.array(unit, { maxLength: 6 }), (units) => {
            const text = String.fromCharCode(...units);
            const escaped = units.map((code) => `\\u${code.toString(16).padStart(4, '0')}`).join('');
            const good = text.isWellFormed() && !text.includes('\0');
            if (good) assert.equal(parseJson(`"${escaped}"`, { raw: NONE }), text);
            else assert.throws(() => parseJson(`"${escaped}"`, { raw: NONE }), JsonError);
        }),
        { numRuns: 2000 },
    );
});

test('a number beyond the range of a double is refused', () => {
    const long = '9'.repeat(400);
    for (const bad of ['1e400', '-1e400', '1E+309', '0.1e311', long]) refuses(`{"a":[${bad}]}`, 'number out of range');
    for (const good of ['1e308', '-0', '1e-400', '0e999', `0.${long}`, '12345678901234567890', '9'.repeat(308)]) {
        assert.equal(parseJson(good, { raw: NONE }), Number(good));
    }
});

test('32 levels are accepted, 33 are refused, and 500,000 do not block the thread', () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    parseJson(nested(MAX_JSON_DEPTH), { raw: NONE });
    parseJson(`${'{"a":'.repeat(MAX_JSON_DEPTH)}1${'}'.repeat(MAX_JSON_DEPTH)}`, { raw: NONE });
    refuses(nested(MAX_JSON_DEPTH + 1), 'nested deeper than 32 levels');
    // The error shows that JSON.parse was not called: it takes 200 ms here, and would report unclosed arrays.
    refuses('['.repeat(500_000), 'nested deeper than 32 levels');
});

test('more keys than the limit are refused', () => {
    const keys = (count: number) => `{${Array.from({ length: count }, (_, i) => `"k${i}":0`).join(',')}}`;
    parseJson(keys(MAX_JSON_KEYS), { raw: NONE });
    refuses(keys(MAX_JSON_KEYS + 1), `more than ${MAX_JSON_KEYS} keys`);
});

test('a refusal never quotes a value', () => {
    for (const text of [
        '{"password":"hunter2","password":"hunter2"}',
        '{"password":"hunter2"',
        '"hunter2\\u0000"',
        'hunter2',
    ]) {
        assert.throws(
            () => parseJson(text, { raw: NONE }),
            (error: Error) => !error.message.includes('hunter2') && error.cause === undefined,
        );
    }
});

test('stringifyJson writes the same text as JSON.stringify', () => {
    fc.assert(
        fc.property(fc.object({ withDate: true, withNullPrototype: true, withUnicodeString: true }), (value) => {
            assert.equal(stringifyJson(value), JSON.stringify(value));
        }),
        { numRuns: 1000 },
    );
    assert.equal(stringifyJson({ a: undefined, b: [undefined, null], c: Number.NaN }), '{"b":[null,null],"c":null}');
});

test('text that was kept is written unchanged, at any depth', () => {
    const claims = new JsonText('{ "n" : 12345678901234567890, "1": 1.0 }');
    assert.equal(stringifyJson({ data: [{ claims }, claims] }), `{"data":[{"claims":${claims.text}},${claims.text}]}`);
});
