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
/** With a line of this text 48,000 are 48 MiB and more: 32 may wait. */
const TEXT = 'x'.repeat(1_024);

it('what nobody reads is held up to a bound; the lines on top are dropped whole, and counted', async (t) => {
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
    log.info('for the read that is under way: it would keep the process');
});
