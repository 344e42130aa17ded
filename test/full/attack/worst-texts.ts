/** Texts that take long to parse for their length. Each function returns a text of about `size` characters. */

type Text = (size: number) => string;

/** Repeats `unit` as often as it fits between `before` and `after`. */
const filled =
    (before: string, unit: string, after: string): Text =>
    (size) =>
        before + unit.repeat(Math.max(0, Math.floor((size - before.length - after.length) / unit.length))) + after;

const numbered =
    (before: string, member: (index: number) => string, after: string): Text =>
    (size) => {
        const members: string[] = [];
        for (let index = 0, length = 0; length < size - before.length - after.length - 20; index++) {
            const text = member(index);
            members.push(text);
            length += text.length + 1;
        }
        return before + members.join(',') + after;
    };

/** JSON texts, valid and invalid. */
export const WORST_JSON: Record<string, Text> = {
    'a long string': filled('{"a":"', 'x', '"}'),
    'escaped quotes': filled('{"a":"', '\\"', '"}'),
    'escaped quotes between letters': filled('{"a":"', '\\"a', '"}'),
    'escaped backslashes': filled('{"a":"', '\\\\', '"}'),
    'an unterminated string of escapes': filled('{"a":"', '\\\\', ''),
    'escaped letters': filled('{"a":"', '\\u0041', '"}'),
    'escaped surrogates': filled('{"a":"', '\\ud83d\\ude00', '"}'),
    'colons after a long key': (size) => `{"${'a'.repeat(size >> 1)}"${':'.repeat(size >> 1)}`,
    'a repeated key': filled('{"a":0', ',"a":0', '}'),
    'many keys': numbered('{', (index) => `"${index.toString(36)}":0`, '}'),
    'keys that are numbers': numbered('{', (index) => `"${7_919 * index}":0`, '}'),
    'many claims': numbered('{"claims":{', (index) => `"${index.toString(36)}":0`, '}}'),
    'many zeros': filled('{"credentials":[', '0,', '0]}'),
    'many strings': filled('{"credentials":[', '"",', '0]}'),
    'many arrays': filled('{"credentials":[', '[],', '0]}'),
    'many objects': filled('{"users":[', '{},', '0]}'),
    'many large numbers': filled('{"a":[', '1e308,', '0]}'),
    'a number with many digits': filled('{"a":', '1', '}'),
    'a fraction with many digits': filled('{"a":0.', '1', '}'),
    'open brackets': filled('', '[', ''),
    'open braces': filled('', '{"a":', ''),
    blanks: filled('{"a":', ' ', '1}'),
    quotes: filled('', '"', ''),
    commas: filled('{"a":[', ',', ']}'),
    'two-byte letters': filled('{"a":"€', 'é\\"', '"}'),
};

/** Request targets. */
export const WORST_TARGETS: Record<string, Text> = {
    'a repeated parameter': filled('/v1/keys?', 'limit=1&', 'limit=1'),
    'many parameters': numbered('/v1/keys?', (index) => `p${index}=1`, ''),
    ampersands: filled('/v1/keys?', '&', ''),
    'equals signs': filled('/v1/keys?a', '=', ''),
    'percent signs': filled('/v1/did/', '%25', ''),
    'broken escapes': filled('/v1/did/', '%', ''),
    'plus signs': filled('/v1/keys?limit=', '+', ''),
    slashes: filled('/', '/', ''),
    dots: filled('/', '../', ''),
    colons: filled('/v1/did/', ':', ''),
    'an absolute target': filled('http://', 'a', '/v1/keys'),
};

/** Header lines. */
export const WORST_HEADERS: Record<string, Text> = {
    'a token of dots': filled('Authorization: Bearer ', '.', ''),
    'a long API key as token': filled('Authorization: Bearer cred_test_', 'a', ''),
    'a token in three parts': (size) =>
        `Authorization: Bearer ${['a', 'b', 'c'].map((x) => x.repeat(size / 3)).join('.')}`,
    'blanks before a token': filled('Authorization: Bearer', ' ', 'x'),
    'a list of encodings': filled('Accept-Encoding: ', 'gzip;q=0,', 'br;q=0'),
    'a list of tags': filled('If-None-Match: ', '"a",', '"b"'),
    'a list of addresses': filled('X-Forwarded-For: ', '::1,', '::1'),
    'a long id': filled('X-Request-Id: ', 'a', ''),
    'a long trace': filled('traceparent: 00-', 'a', '-01'),
    'a long host': filled('X-Host: ', 'a.', ''),
    cookies: filled('Cookie: ', 'a=b; ', ''),
};
