import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createReadStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { createLog, exposeLog } from '../../../../platform/telemetry/log.ts';
import { createMetrics } from '../../../../platform/telemetry/metrics.ts';

const LINES = 48_000;
const TURN_LINES = 1_000;
/** 48,000 lines with this text are more than 48 MiB. At most 32 MiB may wait. */
const TEXT = 'x'.repeat(1_024);

it('lines that no reader takes are kept up to a bound; lines beyond it are dropped whole, and counted', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'log-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
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
