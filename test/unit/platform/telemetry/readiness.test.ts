import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { describe, it } from 'node:test';
import { pino } from 'pino';
import { createReadiness } from '../../../../platform/telemetry/readiness.ts';

const silent = pino({ enabled: false });

describe('readiness', () => {
    it('answers before the timeout of a probe, even if a check never answers', async (t) => {
        t.mock.timers.enable({ apis: ['setTimeout'] });
        const readiness = createReadiness({ log: silent });
        readiness.serving = true;
        readiness.addCheck('database', () => new Promise(() => {}));
        const failingChecks = readiness.failingChecks();
        t.mock.timers.tick(1_500);
        assert.deepEqual(await failingChecks, ['database: no answer within 1200 ms']);
    });

    it('runs a check once for all concurrent requests', async () => {
        const readiness = createReadiness({ log: silent });
        readiness.serving = true;
        const look = Promise.withResolvers<void>();
        let looks = 0;
        readiness.addCheck('database', () => {
            looks++;
            return look.promise;
        });
        const answers = Array.from({ length: 50 }, () => readiness.failingChecks());
        look.resolve();
        for (const failingChecks of await Promise.all(answers)) assert.deepEqual(failingChecks, []);
        assert.equal(looks, 1);
    });

    it('runs no check before the process serves', async () => {
        const readiness = createReadiness({ log: silent });
        readiness.addCheck('database', () => assert.fail());
        assert.deepEqual(await readiness.failingChecks(), ['the process is starting or stopping']);
    });

    it('stays ready while a check fails that is not required, and says so', async () => {
        const readiness = createReadiness({ log: silent });
        readiness.serving = true;
        let lost = true;
        const check = async () => {
            if (lost) throw new Error('refused');
        };
        readiness.addCheck('database b', check, { required: false });
        assert.deepEqual(await readiness.failingChecks(), []);
        assert.deepEqual(readiness.remarks(), ['database b: refused']);
        lost = false;
        assert.deepEqual(await readiness.failingChecks(), []);
        assert.deepEqual(readiness.remarks(), []);
    });

    it('that is not ready names all checks that fail', async () => {
        const readiness = createReadiness({ log: silent });
        readiness.serving = true;
        readiness.addCheck('kek', () => Promise.reject(new Error('refused')));
        readiness.addCheck('database b', () => Promise.reject(new Error('away')), { required: false });
        assert.deepEqual(await readiness.failingChecks(), ['kek: refused', 'database b: away']);
        assert.deepEqual(readiness.remarks(), []);
    });

    it('logs failing checks once, however often it is asked, and logs when they pass again', async () => {
        const lines: Array<{ msg: string; failingChecks?: string[] }> = [];
        const write = (line: string, _: unknown, done: () => void) => {
            lines.push(JSON.parse(line));
            done();
        };
        const readiness = createReadiness({ log: pino(new Writable({ decodeStrings: false, write })) });
        readiness.serving = true;
        let lost = true;
        readiness.addCheck('did', async () => {
            if (lost) throw new Error('cannot be reached', { cause: new Error('refused') });
        });
        for (let asked = 0; asked < 3; asked++) assert.deepEqual(await readiness.failingChecks(), ['did: refused']);
        lost = false;
        for (let asked = 0; asked < 3; asked++) assert.deepEqual(await readiness.failingChecks(), []);
        assert.deepEqual(
            lines.map(({ msg, failingChecks }) => [msg, failingChecks]),
            [
                ['not ready', ['did: refused']],
                ['ready again', undefined],
            ],
        );
    });
});
