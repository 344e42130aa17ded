import fc from 'fast-check';

const LONG = 'x'.repeat(70_000);
const ODD_TEXTS = [
    ...['', ' ', '\0', 'a\0b', '\ud800', '\udfff\ud800', '\u202e\u200b', '\ufeff', '😀'.repeat(300), 'ﬀ', 'e\u0301'],
    ...['../../etc/passwd', '%00', '%', '%ZZ', '%E0%A4%A', "' OR 1=1 --", 'null', 'undefined', '0'],
    ...['__proto__', 'constructor', 'toString', 'urn:uuid:', 'did:key:z', 'did:web:x', 'v4.public.', 'v4.public.AAAA'],
    ...['2026-13-01', '+275760-09-14', '9999-12-31T23:59:60Z', '\r\nX-Injected: 1', LONG],
];
/** JSON texts, and texts that only look like JSON. */
const ODD_JSON = [
    ...['null', 'true', 'false', '0', '-0', '-1', '1.5', '1e308', '1e400', '9007199254740993', '-1e-400', '00', 'NaN'],
    ...[
        '[]',
        '{}',
        '[null]',
        '[[]]',
        '{"__proto__":{"admin":true}}',
        '{"a":1,"a":2}',
        '"\\u0000"',
        '"\\ud800"',
        '"\\x"',
    ],
    ...[1, 30, 31, 32, 33, 1_000, 100_000].flatMap((depth) => [
        '['.repeat(depth) + ']'.repeat(depth),
        `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`,
    ]),
    ...[
        '[',
        '{',
        '"',
        '{"a"',
        '{"a":',
        '[1,',
        '/* */1',
        "'a'",
        `"${LONG}"`,
        '9'.repeat(5_000),
        `[${'1,'.repeat(999)}1]`,
    ],
];
export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY'];
export const HEADERS = [
    ...['Authorization', 'Content-Type', 'Content-Encoding', 'Accept', 'Accept-Encoding', 'Cookie', 'Expect', 'Origin'],
    ...[
        'X-Internal-Secret',
        'X-Client-Address',
        'X-On-Behalf-Of',
        'X-Request-Id',
        'X-Wallet-Password',
        'X-Forwarded-For',
    ],
    ...['traceparent', 'Range', 'If-Match', 'X-HTTP-Method-Override', 'Access-Control-Request-Method', 'Forwarded'],
];
const HEADER_TEXTS = [
    ...['', 'x', '\u00ff\u00fe', 'Bearer', 'Bearer x', 'Basic YTpi', 'null', '*/*', 'gzip', 'identity', '100-continue'],
    ...['application/json', 'application/json; charset=utf-16', 'text/plain', 'multipart/form-data', 'a/b;;=', ','],
    ...['::1', '10.0.0.1', '999.1.1.1', '01234567-0000-7000-8000-000000000000', 'bytes=0-', 'x'.repeat(4_000)],
    ...['00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', '00-0-0-0', '*', 'DELETE', 'https://evil.example'],
];

export const oddText = fc.oneof(fc.constantFrom(...ODD_TEXTS), fc.string({ unit: 'binary', maxLength: 40 }));
export const oddJson = fc.oneof(
    fc.constantFrom(...ODD_JSON),
    oddText.map((text) => JSON.stringify(text)),
    fc.json({ maxDepth: 4 }),
    fc.double().map(String),
);
export const headerText = fc.oneof(fc.constantFrom(...HEADER_TEXTS), fc.stringMatching(/^[\x20-\x7e\xa0-\xff]{0,60}$/));
