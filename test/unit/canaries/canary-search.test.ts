import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { Canaries } from '../../../proof/canaries/canary.ts';
import { searcher } from '../../../proof/canaries/search.ts';

const canaries = new Canaries();
const text = canaries.text('a password');
const key = canaries.bytes('a private key');
for (let other = 0; other < 100; other++) canaries.text(`another ${other}`);
const search = searcher(canaries.all);

/** The labels of the canaries that are found in the text or bytes, in any encoding. */
function found(haystack: string | Uint8Array): string[] {
    return [...new Set(search(Buffer.from(haystack as Uint8Array)).map(({ canary }) => canary.label))];
}

describe('the search for canaries', () => {
    const encodings: Array<[form: string, encode: (bytes: Buffer) => string | Buffer]> = [
        ['plain', (bytes) => bytes],
        ['base64', (bytes) => bytes.toString('base64')],
        ['base64url', (bytes) => bytes.toString('base64url')],
        ['hex', (bytes) => bytes.toString('hex')],
        ['hex in upper case', (bytes) => bytes.toString('hex').toUpperCase()],
        ['percent escapes', (bytes) => Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')],
        ['UTF-16LE', (bytes) => Buffer.from(bytes.toString('latin1'), 'utf16le')],
        ['UTF-16BE', (bytes) => Buffer.from(bytes.toString('latin1'), 'utf16le').swap16()],
        ['JSON of a Buffer', (bytes) => JSON.stringify(bytes)],
    ];
    for (const [form, encode] of encodings) {
        it(`finds texts and keys in ${form}, at any offset`, () => {
            for (let before = 0; before < 12; before++) {
                for (let after = 0; after < 4; after++) {
                    const around = [randomBytes(before), randomBytes(after)] as const;
                    for (const [label, secret] of [
                        ['a password', Buffer.from(text)],
                        ['a private key', key],
                    ] as const) {
                        const encoded = Buffer.from(encode(Buffer.from(secret)) as Buffer);
                        assert.deepEqual(found(Buffer.concat([around[0], encoded, around[1]])), [label]);
                        const within = encode(Buffer.concat([around[0], secret, around[1]]));
                        assert.deepEqual(found(within), [label], `${before} bytes before, ${after} after`);
                    }
                }
            }
        });
    }

    it('finds nothing in random bytes, and nothing in a part of a canary', () => {
        assert.deepEqual(found(randomBytes(1 << 20)), []);
        assert.deepEqual(found(text.slice(1)), []);
        assert.deepEqual(found(text.slice(0, -1)), []);
        assert.deepEqual(found(''), []);
    });

    it('finds two adjacent canaries', () => {
        assert.deepEqual(found(text + key.toString('hex')).sort(), ['a password', 'a private key']);
    });
});
