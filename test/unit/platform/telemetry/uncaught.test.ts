import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));

/** Runs a program in a child process, because the test runner handles uncaught errors itself. */
function run(watched: boolean): { code: number | null; output: string; errors: string } {
    const program = `
        import { createMetrics } from './platform/telemetry/metrics.ts';
        import { createLog } from './platform/telemetry/log.ts';
        import { logWarnings, surviveUncaught } from './platform/telemetry/uncaught.ts';
        const metrics = createMetrics();
        const log = createLog({ level: 'info', name: 'test' });
        if (${watched}) surviveUncaught({ log, metrics });
        if (${watched}) logWarnings(log);
        process.emitWarning('odd', 'OddWarning');
        setImmediate(() => { throw new Error('thrown'); });
        setImmediate(() => { Promise.reject(new Error('rejected')); });
        setTimeout(async () => {
            const { text } = await metrics.expose();
            console.log(text.match(/^process_uncaught_exceptions_total .*$/m)?.[0] ?? 'no metric');
        }, 50);`;
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module-typescript', '-e', program], {
        cwd: ROOT,
        encoding: 'utf8',
    });
    return { code: status, output: stdout, errors: stderr };
}

it('an error that nothing catches is logged and counted, and the process goes on', () => {
    const { code, output } = run(true);
    assert.equal(code, 0, output);
    assert.match(output, /"level":60.*"message":"thrown".*"msg":"uncaught exception"/);
    assert.match(output, /"level":60.*"message":"rejected"/);
    assert.match(output, /^process_uncaught_exceptions_total 2$/m);
});

it('a warning of the process is a line of the log, and nothing else', () => {
    const { output, errors } = run(true);
    assert.match(output, /"level":40.*"message":"odd".*"msg":"process warning"/);
    assert.doesNotMatch(errors, /OddWarning/);
});

it('without surviveUncaught the same error ends the process', () => {
    assert.notEqual(run(false).code, 0);
});
