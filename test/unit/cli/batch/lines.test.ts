import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { linesOf, MAX_LINE_BYTES, sha256Of } from '../../../../cli/src/batch/lines.ts';
import { all, newFile } from './files.ts';

describe('the lines of a file', () => {
    it('have their numbers and ends, with or without a line feed at the end', async () => {
        const lines = await all(linesOf(newFile('\ufeffä\r\n\nlast')));
        assert.deepEqual(lines, [
            { number: 1, text: 'ä', complete: true, end: 7 },
            { number: 2, text: '', complete: true, end: 8 },
            { number: 3, text: 'last', complete: false, end: 12 },
        ]);
        assert.deepEqual(await all(linesOf(newFile(''))), []);
    });

    it('are the same wherever a chunk ends', async () => {
        // Node reads 64 KiB at a time.
        const texts = Array.from({ length: 3_000 }, (_, index) => 'é'.repeat(index % 131));
        const lines = await all(linesOf(newFile(`${texts.join('\n')}\n`)));
        assert.deepEqual(
            lines.map(({ text }) => text),
            texts,
        );
    });

    it('may have 256 KiB, and an error names the first one that has more', async () => {
        const longest = 'x'.repeat(MAX_LINE_BYTES);
        assert.equal((await all(linesOf(newFile(`a\n${longest}\n`)))).length, 2);
        for (const text of [`a\n${longest}x\nb`, `a\n${longest}x`, `a\n${longest.repeat(3)}`]) {
            await assert.rejects(all(linesOf(newFile(text))), /Line 2 of .* is longer than 256 KiB/);
        }
    });

    it('are not gathered in memory beyond that', async () => {
        await assert.rejects(all(linesOf('/dev/zero')), /Line 1 of \/dev\/zero is longer than 256 KiB/); // it has no end
    });

    it('must be UTF-8, and the file must exist', async () => {
        await assert.rejects(all(linesOf(newFile(Buffer.from([0x61, 0x0a, 0xff, 0x0a])))), /Line 2 of .* is not UTF-8/);
        await assert.rejects(all(linesOf('/nonexistent')), /CliError: \/nonexistent cannot be used: it does not exist/);
    });

    it('are hashed as they are', async () => {
        const content = 'a\r\nb'.repeat(100_000);
        assert.equal(await sha256Of(newFile(content)), createHash('sha256').update(content).digest('hex'));
    });
});
