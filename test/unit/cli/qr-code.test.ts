import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { describe, it } from 'node:test';
import { decodeQR } from 'qr/decode.js';
import { qrCode } from '../../../cli/src/terminal/qr-code.ts';
import { DARK, LIGHT, photographed } from './pixels.ts';

const LINK = `openid-credential-offer://?credential_offer_uri=https%3A%2F%2F${'a'.repeat(130)}`;

const drawn = (env: Record<string, string> = {}, columns?: number) =>
    qrCode(LINK, { env, stdout: Object.assign(new Writable(), { isTTY: true, ...(columns && { columns }) }) });

describe('a QR code in a terminal', () => {
    for (const [name, theme] of Object.entries({ dark: DARK, light: LIGHT })) {
        it(`is read in a ${name} one, and has four light modules around it`, () => {
            const { rows, ...picture } = photographed(drawn(), theme);
            assert.equal(decodeQR(picture, { timeLimit: Infinity }), LINK);
            const size = rows[0]?.length ?? 0;
            for (let depth = 0; depth < 4; depth++) {
                const edges = [depth, size - 1 - depth].flatMap((at) => [rows[at], rows.map((row) => row[at])]);
                assert.ok(edges.every((edge) => edge?.slice(0, size).every((pixel) => pixel === 255)));
            }
            assert.equal(rows[4]?.[4], 0); // where the code begins
        });
    }

    it('has no colours if somebody objects to them, and is read in a dark one', () => {
        for (const [name, value] of Object.entries({ NO_COLOR: '1', TERM: 'dumb' })) {
            const text = drawn({ [name]: value });
            assert.doesNotMatch(text, /\u001b/);
            assert.equal(decodeQR(photographed(text, DARK), { timeLimit: Infinity }), LINK);
        }
    });

    it('is not broken by a terminal that is too narrow', () => {
        const width = photographed(drawn(), DARK).rows[0]?.length ?? 0;
        assert.equal(drawn({}, width), drawn());
        assert.equal(drawn({}, width - 1), `The QR code needs a terminal of ${width} columns.\n`);
    });
});
