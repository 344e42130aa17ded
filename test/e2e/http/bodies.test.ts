import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { expectOk } from '../support/client.ts';
import { bodySender } from '../support/raw.ts';
import { aKey } from '../support/world.ts';

const token = await aKey();
const post = bodySender(token);
const MIB = 1 << 20;

async function expectStatus(status: number, sent: ReturnType<typeof post>): Promise<string> {
    const answer = await sent;
    assert.equal(answer.status, status, answer.error);
    return answer.error;
}

describe('a body that is not JSON', () => {
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

describe('a JSON body', () => {
    const nested = (levels: number) => `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`;
    const texts: Array<[what: string, text: string]> = [
        ['null', 'null'],
        ['a string', '"text"'],
        ['a number', '5'],
        ['true', 'true'],
        ['an array', '[]'],
        ['an array of objects', '[{}]'],
        ['a duplicate key', '{"a":1,"a":2}'],
        ['a duplicate key, spelled differently', '{"a":1,"\\u0061":2}'],
        ['a nested duplicate key', '{"b":[{"a":1,"a":1}]}'],
        ['__proto__ twice', '{"__proto__":1,"__proto__":2}'],
        ['NUL in a string', '{"a":"\\u0000"}'],
        ['NUL in a key', '{"\\u0000":1}'],
        ['a lone high surrogate', '{"a":"\\ud800"}'],
        ['a lone low surrogate', '{"a":"\\udc00\\ud800"}'],
        ['a lone surrogate in a key', '{"\\uDFFF":1}'],
        ['a number too large for a double', '{"a":1e400}'],
        ['a negative number too large for a double', '{"a":-1E+309}'],
        ['a number of 400 digits', `{"a":${'9'.repeat(400)}}`],
        ['33 levels', nested(33)],
        ['50,000 levels', nested(50_000)],
        ['50,000 levels of arrays', `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`],
        ['50,000 open levels', `{"a":${'['.repeat(50_000)}`],
    ];
    for (const [what, text] of texts) {
        it(`is refused: ${what}`, async () => {
            await expectStatus(400, post(text));
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
        it(`is accepted: ${what}`, async () => {
            await expectStatus(201, post(text));
        });
    }
});

describe('a body that is not UTF-8', () => {
    const cases: Array<[what: string, bytes: Buffer]> = [
        ['Latin-1', Buffer.from('{"a":"\xe9"}', 'latin1')],
        ['UTF-16 with a byte order mark', Buffer.from('\ufeff{"a":1}', 'utf16le')],
        ['UTF-16 without a byte order mark', Buffer.from('{"a":1}', 'utf16le')],
        ['an overlong slash', Buffer.from('{"a":"\xc0\xaf"}', 'latin1')],
        ['a surrogate', Buffer.from('{"a":"\xed\xa0\x80"}', 'latin1')],
        ['a code point beyond U+10FFFF', Buffer.from('{"a":"\xf4\x90\x80\x80"}', 'latin1')],
        ['a truncated character', Buffer.from('{"a":"\xe2\x82"}', 'latin1')],
    ];
    for (const [what, bytes] of cases) {
        it(`is refused: ${what}`, async () => {
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

    it('must be sent if there is a body', async () => {
        await expectStatus(415, post(Buffer.from('{}'), { 'content-type': '' }));
        await expectOk(201, { method: 'POST', path: '/v1/did', token });
    });

    it('is ignored if there is no body', async () => {
        await expectStatus(201, post('', { 'content-type': 'text/plain' }));
        await expectStatus(201, post(''));
    });

    it('is irrelevant for a compressed body, which is refused without decompression', async () => {
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

    it('may be exactly 1 MiB and no more, with a Content-Length or in chunks', async () => {
        await expectStatus(201, post(padded(MIB)));
        await expectStatus(201, post(inChunks(MIB)));
        await expectStatus(413, post(padded(MIB + 1)));
        await expectStatus(413, post(inChunks(MIB + 1)));
    });

    it('is checked before its JSON', async () => {
        await expectStatus(413, post('x'.repeat(MIB + 1)));
        await expectStatus(413, post('x'.repeat(MIB + 1), { 'content-type': 'text/plain' }));
    });
});
