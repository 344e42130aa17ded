import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
    closeSync,
    createReadStream,
    existsSync,
    mkdtempSync,
    openSync,
    readFileSync,
    rmSync,
    truncateSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { createLog, exposeLog } from '../../../../platform/telemetry/log.ts';
import { createMetrics } from '../../../../platform/telemetry/metrics.ts';
import { until } from '../../../support/until.ts';

const LINES = 48_000;
const TURN_LINES = 1_000;
/** 48,000 lines with this text are more than 48 MiB. At most 32 MiB may wait. */
const TEXT = 'x'.repeat(1_024);

it('lines that no reader takes are kept up to a bound; lines beyond it are dropped whole, and counted', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'log-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const reader = openSync(pipe, 'r+'); // without one, nobody can open the pipe to write
    t.after(() => closeSync(reader));
    const metrics = createMetrics();
    exposeLog(metrics);
    const log = createLog({ level: 'info', file: pipe, name: 'test' });
    for (let index = 0; index < LINES; index++) {
        log.info({ index }, TEXT);
        if (index % TURN_LINES === 0) await turn();
    }
    await turn();
    const { text } = await metrics.expose();
    const dropped = Number(/^log_lines_dropped_total (\d+)$/m.exec(text)?.[1]);
    assert.ok(dropped > 0 && dropped < LINES / 2, `${dropped} dropped`);

    let rest = '';
    let whole = 0;
    for await (const piece of createReadStream(pipe, 'utf8')) {
        const lines = `${rest}${piece}`.split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) assert.equal(JSON.parse(line).msg, TEXT);
        whole += lines.length;
        if (whole === LINES - dropped) break;
    }
    assert.deepEqual([whole, rest], [LINES - dropped, '']);
    log.info('ends the pending read, which would keep the process alive');
});

it('a line about an error has its type, text, stack, code and cause, and nothing that a library has added', (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'log-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'errors');
    const program = `
        const { createLog } = await import(${JSON.stringify(import.meta.resolve('../../../../platform/telemetry/log.ts'))});
        const log = createLog({ level: 'info', file: ${JSON.stringify(file)}, name: 'test' });
        const cause = Object.assign(new Error('lost'), { values: ['in the cause'] });
        const refused = Object.assign(new TypeError('refused', { cause }), { code: 'E1', command: { args: ['in a command'] } });
        log.error({ err: refused }, 'one');
        log.error({ err: new AggregateError([refused], 'several') }, 'several');`;
    execFileSync(process.execPath, ['--input-type=module', '--eval', program]);
    const text = readFileSync(file, 'utf8');
    assert.doesNotMatch(text, /in a command|in the cause/);
    const [one, several] = text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).err);
    assert.deepEqual([one.type, one.message, one.code], ['TypeError', 'refused: lost', 'E1']);
    assert.match(one.stack, /caused by: Error: lost/);
    assert.deepEqual([several.type, several.errors[0].code], ['AggregateError', 'E1']);
});

it('a log file that is copied and truncated, as logrotate does, continues from its beginning', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'log-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'service.log');
    const log = createLog({ level: 'info', file, name: 'test' });
    const logged = async (text: string): Promise<string[]> => {
        log.info(text);
        const read = () => readFileSync(file, 'utf8').trim().split('\n');
        await until('the line is written', () => existsSync(file) && read().join().includes(text));
        return read();
    };
    assert.equal((await logged('before the rotation')).length, 1);
    truncateSync(file);
    const [line = '', ...others] = await logged('after the rotation');
    assert.equal(JSON.parse(line).msg, 'after the rotation');
    assert.deepEqual(others, []);
});
