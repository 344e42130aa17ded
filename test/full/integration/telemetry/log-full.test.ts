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
/** 48,000 lines with this text are more than 48 MiB. At most 32 MiB may wait. */
const TEXT = 'x'.repeat(1_024);
/** Sizes of the file system and of the file that fills it at first. Without that file, all waiting lines would fit. */
const [DISK_MIB, FILLED_MIB] = [64, 62];

const isRoot = process.getuid?.() === 0;

it('a full disk loses log lines and nothing else, and later lines are written', {
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
    await until('all waiting lines are written', async () => lines().length === LINES - (await dropped()));
    log.info('there is space again');
    await until(
        'the next line is written',
        async () => JSON.parse(lines().at(-1) ?? '').msg === 'there is space again',
    );
});

it('a process whose log cannot be written goes on, and exits with its own code', async () => {
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

it('a process that ends at once exits with its own code, too', async () => {
    const program = `
        import { createLog } from './platform/telemetry/log.ts';
        createLog({ level: 'info', file: '/dev/full', name: 'test' }).info('lost');
        setTimeout(() => process.exit(7), Number(process.argv[1]));`;
    for (const wait of ['0', '20']) {
        const child = spawn(process.execPath, ['--input-type=module', '--eval', program, wait], {
            stdio: ['ignore', 'ignore', 'pipe'],
            timeout: 60_000,
        });
        const said = child.stderr.setEncoding('utf8').toArray();
        const [code] = await once(child, 'exit');
        assert.equal(code, 7);
        assert.doesNotMatch((await said).join(''), /^ +at /m);
    }
});
