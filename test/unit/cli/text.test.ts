import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { describe, it } from 'node:test';
import { printReport } from '../../../cli/src/report.ts';
import { coloured, fieldLines, jsonLine, printable, tableLines } from '../../../cli/src/terminal/text.ts';

const HOSTILE = '\u001b[2J\u001b]0;title\u0007\r\nnext\u009b31m\u007f\u202etxt\u2028\u0000';

/** What a report prints on a terminal. */
function printed(report: Parameters<typeof printReport>[0], json: boolean, env: Record<string, string> = {}): string {
    let text = '';
    const sink = new Writable({
        write(chunk, _encoding, done) {
            text += String(chunk);
            done();
        },
    });
    const stdout = Object.assign(sink, { isTTY: true });
    printReport(report, { env, stdout, stderr: stdout, stdin: process.stdin, interrupt() {} }, json);
    return text;
}

describe('text from elsewhere', () => {
    it('is shown without characters that a terminal obeys', () => {
        assert.equal(printable('\u001b[2Ja\u009b\u202e'), '\\u001b[2Ja\\u009b\\u202e');
        const lines = [
            ...fieldLines({ name: HOSTILE, claims: { a: HOSTILE }, list: [HOSTILE] }),
            ...tableLines([{ name: HOSTILE }]),
        ];
        assert.equal(lines.length, 5);
        for (const line of lines) assert.doesNotMatch(line, /[\u0000-\u001f\u007f-\u009f\u2028\u202e]/);
    });

    it('is escaped in JSON, which still says the same', () => {
        const text = jsonLine({ name: HOSTILE });
        assert.doesNotMatch(text.slice(0, -1), /[\u0000-\u001f\u007f-\u009f\u2028\u202e]/);
        assert.deepEqual(JSON.parse(text), { name: HOSTILE });
    });

    it('cannot colour or add lines, whatever a report has in it', () => {
        const report = { good: false, lines: [`NOT valid: ${HOSTILE}`, HOSTILE], data: { error: HOSTILE } };
        const text = printed(report, false);
        assert.equal(text.split('\n').length, 3);
        assert.deepEqual(text.match(/\u001b[^m]*m/g), ['\u001b[31m', '\u001b[0m']);
        assert.doesNotMatch(printed(report, true), /\u001b/);
    });
});

describe('output for people', () => {
    it('is aligned', () => {
        assert.deepEqual(fieldLines({ a: 'x', long: 1, left_out: undefined, none: null }), [
            'a     x',
            'long  1',
            'none  -',
        ]);
        assert.deepEqual(
            tableLines([
                { id: '1', name: 'abc' },
                { id: '22', name: '' },
            ]),
            ['ID  NAME', '1   abc', '22'],
        );
    });

    it('is a table of any number of rows', () => {
        assert.equal(tableLines(Array.from({ length: 200_000 }, () => ({ id: '1' }))).length, 200_001);
    });

    it('has colours only on a terminal, and if NO_COLOR is not set', () => {
        const on = (isTTY: boolean, env: Record<string, string>) =>
            coloured('x', 'red', { stdout: Object.assign(new Writable(), { isTTY }), env });
        assert.equal(on(true, {}), '\u001b[31mx\u001b[0m');
        assert.equal(on(true, { NO_COLOR: '1' }), 'x');
        assert.equal(on(true, { TERM: 'dumb' }), 'x');
        assert.equal(on(false, {}), 'x');
    });
});
