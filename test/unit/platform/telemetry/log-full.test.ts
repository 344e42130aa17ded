import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createLog, exposeLog } from '../../../../platform/telemetry/log.ts';
import { createMetrics } from '../../../../platform/telemetry/metrics.ts';
import { until } from '../../../support/until.ts';

const LINES = 48_000;
const TURN_LINES = 1_000;
/** With a line of this text 48,000 are 48 MiB and more: 32 may wait. */
const TEXT = 'x'.repeat(1_024);
/** Of the file system and of what fills it at first; without that all that may wait fits. */
const [DISK_MIB, FILLED_MIB] = [64, 62];

const isRoot = process.getuid?.() === 0;

it('a full disk costs log lines and nothing else, and those after it are written', {
    skip: !isRoot && 'not root',
}, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'log-full-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MIB}m`, 'tmpfs', folder]);
    t.after(() => {
        execFileSync('umount', ['--lazy', folder]);
        rmSync(folder, { recursive: true });
    });
    const [file, filler] = [join(folder, 'log'), join(folder, 'filler')];
    const metrics = createMetrics();
    exposeLog(metrics);
    const dropped = async (): Promise<number> =>
        Number(/^log_lines_dropped_total (\d+)$/m.exec((await metrics.expose()).text)?.[1]);
    writeFileSync(filler, Buffer.alloc(FILLED_MIB << 20));
    const log = createLog({ level: 'info', file, name: 'test' });
    for (let index = 0; index < LINES; index++) {
        log.info({ index }, TEXT);
        if (index % TURN_LINES === 0) await delay(1);
    }
    await until('lines are dropped', async () => (await dropped()) > 0);
    rmSync(filler);
    const lines = () => readFileSync(file, 'utf8').trimEnd().split('\n');
    await until('all that waited is written', async () => lines().length === LINES - (await dropped()));
    log.info('there is space again');
    await until(
        'what comes next is written',
        async () => JSON.parse(lines().at(-1) ?? '').msg === 'there is space again',
    );
});

it('a process whose log cannot be written goes on, and ends when it is to', async () => {
    const program = `
        import { createLog } from './platform/telemetry/log.ts';
        const log = createLog({ level: 'info', file: '/dev/full', name: 'test' });
        setTimeout(() => log.info('lost'), 100);
        setTimeout(() => log.info('lost too'), 200);
        setTimeout(() => process.exit(7), 400);`;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
        stdio: ['ignore', 'ignore', 'pipe'],
        timeout: 60_000,
    });
    const said = child.stderr.setEncoding('utf8').toArray();
    const [code] = await once(child, 'exit');
    assert.equal(code, 7);
    const complaints = (await said).join('').match(/The log cannot be written: ENOSPC/g);
    assert.equal(complaints?.length, 1);
});
