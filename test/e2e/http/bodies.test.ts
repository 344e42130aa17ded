import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { expectOk, GATEWAYS } from '../support/client.ts';
import { newAccount, newKey } from '../support/world.ts';

const { api_key: token } = await newKey(await newAccount());
const MIB = 1 << 20;

/** Sends bytes as they are to the endpoint that takes any object, since all of its fields are optional. */
async function post(body: RequestInit['body'], headers: Record<string, string> = {}) {
    const response = await fetch(`${GATEWAYS[0]}/v1/did`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
        body,
        duplex: 'half',
    } as RequestInit); // whose type does not know duplex
    const text = await response.text();
    const { status, error } = JSON.parse(text);
    assert.equal(status, response.ok ? 'success' : 'error');
    assert.ok(response.ok || (typeof error === 'string' && error !== ''), text);
    return { status: response.status, error: String(error) };
}

async function expectStatus(status: number, sent: ReturnType<typeof post>): Promise<string> {
    const answer = await sent;
    assert.equal(answer.status, status, answer.error);
    return answer.error;
}

describe('what is not JSON', () => {
    const texts = [
        '{',
        '}',
        '{]',
        '{"a":}',
        '{"a"}',
        '{"a" 1}',
        '{:1}',
        '{,}',
        '{"a":1,}',
        '{"a":1,,"b":2}',
        '{a:1}',
        "{'a':1}",
        '{1:1}',
        '{"a":1}x',
        '{"a":1}{"b":2}',
        '{"a":1}#',
        '{"a":/*x*/1}',
        '{"a":1} // x',
        '{"a":[1,]}',
        '{"a":[1 2]}',
        '{"a":[}',
        '{"a":"}',
        '{"a":"x',
        '{"a":"\t"}',
        '{"a":"\n"}',
        '{"a":"\\x41"}',
        '{"a":"\\u00g0"}',
        '{"a":"\\u00"}',
        '{"a":"\\"}',
        '{"a":01}',
        '{"a":-01}',
        '{"a":+1}',
        '{"a":.5}',
        '{"a":1.}',
        '{"a":-}',
        '{"a":1e}',
        '{"a":1e+}',
        '{"a":0x1}',
        '{"a":1_000}',
        '{"a":NaN}',
        '{"a":-Infinity}',
        '{"a":undefined}',
        '{"a":tru}',
        '{"a":True}',
        '{"a":nul}',
        '\u00a0{}',
        '\f{}',
        '\ufeff{}',
        '{}\0',
        '<a/>',
        'public_key=x',
        ' ',
    ];
    for (const text of texts) {
        it(`is refused: ${JSON.stringify(text)}`, async () => {
            const error = await expectStatus(400, post(text));
            assert.match(error, /^The body is not usable JSON: /);
        });
    }
});

describe('JSON that is refused', () => {
    const nested = (levels: number) => `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`;
    const texts: Array<[what: string, text: string]> = [
        ['null', 'null'],
        ['a string', '"text"'],
        ['a number', '5'],
        ['true', 'true'],
        ['an array', '[]'],
        ['an array of objects', '[{}]'],
        ['a key twice', '{"a":1,"a":2}'],
        ['a key twice, spelled differently', '{"a":1,"\\u0061":2}'],
        ['a key twice further inside', '{"b":[{"a":1,"a":1}]}'],
        ['__proto__ twice', '{"__proto__":1,"__proto__":2}'],
        ['NUL in a string', '{"a":"\\u0000"}'],
        ['NUL in a key', '{"\\u0000":1}'],
        ['a lone high surrogate', '{"a":"\\ud800"}'],
        ['a lone low surrogate', '{"a":"\\udc00\\ud800"}'],
        ['a lone surrogate in a key', '{"\\uDFFF":1}'],
        ['a number beyond a double', '{"a":1e400}'],
        ['a negative one', '{"a":-1E+309}'],
        ['a number of 400 digits', `{"a":${'9'.repeat(400)}}`],
        ['33 levels', nested(33)],
        ['50,000 levels', nested(50_000)],
        ['50,000 levels of arrays', `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`],
        ['50,000 open levels', `{"a":${'['.repeat(50_000)}`],
    ];
    for (const [what, text] of texts) {
        it(what, async () => {
            const began = performance.now();
            await expectStatus(400, post(text));
            assert.ok(performance.now() - began < 1_000);
        });
    }

    for (const [what, text] of [
        ['32 levels', nested(32)],
        ['keys of prototypes', '{"__proto__":{"public_key":"x"},"constructor":1,"hasOwnProperty":null,"toString":""}'],
        ['blanks of all four kinds', '\t\r\n {\t\r\n }\t\r\n '],
        ['numbers of every form', '{"a":[0,-0,1.0,1E5,1e-400,12345678901234567890,0.1e+1]}'],
        ['escapes of every form', '{"a":"\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\uD83D\\uDE00"}'],
        ['any other Unicode', '{"a":"\u{1F600}\uFFFD\uFFFF\u202E\u2028\u007f\u200b\u05d0"}'],
        ['an empty key', '{"":""}'],
        ['10,000 unknown fields', `{${Array.from({ length: 10_000 }, (_, index) => `"a${index}":1`)}}`],
    ] as const) {
        it(`but ${what} is taken`, async () => {
            await expectStatus(201, post(text));
        });
    }
});

describe('bytes that are no UTF-8', () => {
    const cases: Array<[what: string, bytes: Buffer]> = [
        ['Latin-1', Buffer.from('{"a":"\xe9"}', 'latin1')],
        ['UTF-16 with a mark', Buffer.from('\ufeff{"a":1}', 'utf16le')],
        ['UTF-16 without a mark', Buffer.from('{"a":1}', 'utf16le')],
        ['an overlong slash', Buffer.from('{"a":"\xc0\xaf"}', 'latin1')],
        ['a surrogate', Buffer.from('{"a":"\xed\xa0\x80"}', 'latin1')],
        ['beyond U+10FFFF', Buffer.from('{"a":"\xf4\x90\x80\x80"}', 'latin1')],
        ['cut in the middle of a character', Buffer.from('{"a":"\xe2\x82"}', 'latin1')],
    ];
    for (const [what, bytes] of cases) {
        it(`are refused: ${what}`, async () => {
            await expectStatus(400, post(bytes));
            await expectStatus(400, post(bytes, { 'content-type': 'application/json; charset=iso-8859-1' }));
        });
    }
});

describe('the type of a body', () => {
    for (const type of ['application/json', 'Application/JSON', 'application/json;charset=utf-8']) {
        it(`may be ${type}`, async () => {
            await expectStatus(201, post('{}', { 'content-type': type }));
        });
    }

    for (const type of [
        'text/plain',
        'text/json',
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
        'application/jsonp',
        'application',
        'application/json, text/plain',
    ]) {
        it(`may not be ${type}`, async () => {
            await expectStatus(415, post('{}', { 'content-type': type }));
        });
    }

    it('may not be left out, where there is a body', async () => {
        await expectStatus(415, post(Buffer.from('{}'), { 'content-type': '' }));
        await expectOk(201, { method: 'POST', path: '/v1/did', token });
    });

    it('does not matter where there is no body', async () => {
        await expectStatus(201, post('', { 'content-type': 'text/plain' }));
        await expectStatus(201, post(''));
    });

    it('may not be compressed: nothing is inflated', async () => {
        const bomb = gzipSync(Buffer.alloc(50 * MIB, ' '));
        for (const coding of ['gzip', 'deflate', 'br', 'zstd']) {
            await expectStatus(415, post(bomb, { 'content-encoding': coding }));
        }
        await expectStatus(201, post('{}', { 'content-encoding': 'identity' }));
    });
});

describe('the size of a body', () => {
    const padded = (size: number) => `{}${' '.repeat(size - 2)}`;
    const inChunks = (size: number) =>
        new ReadableStream({
            start(controller) {
                const bytes = Buffer.from(padded(size));
                for (let at = 0; at < size; at += 50_000) controller.enqueue(bytes.subarray(at, at + 50_000));
                controller.close();
            },
        });

    it('may be 1 MiB and not a byte more, with its length or in chunks', async () => {
        await expectStatus(201, post(padded(MIB)));
        await expectStatus(201, post(inChunks(MIB)));
        await expectStatus(413, post(padded(MIB + 1)));
        await expectStatus(413, post(inChunks(MIB + 1)));
    });

    it('is judged before the JSON in it', async () => {
        await expectStatus(413, post('x'.repeat(MIB + 1)));
        await expectStatus(413, post('x'.repeat(MIB + 1), { 'content-type': 'text/plain' }));
    });
});
