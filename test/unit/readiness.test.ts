import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { describe, it } from 'node:test';
import { pino } from 'pino';
import { createReadiness } from '../../platform/readiness.ts';

const silent = pino({ enabled: false });

describe('readiness', () => {
    it('answers before the patience of a probe ends, though what it looks at never does', async (t) => {
        t.mock.timers.enable({ apis: ['setTimeout'] });
        const readiness = createReadiness({ log: silent });
        readiness.serving = true;
        readiness.need('database', () => new Promise(() => {}));
        const obstacles = readiness.obstacles();
        t.mock.timers.tick(1_500);
        assert.deepEqual(await obstacles, ['database: no answer within 1200 ms']);
    });

    it('looks once for all who ask at one time', async () => {
        const readiness = createReadiness({ log: silent });
        readiness.serving = true;
        const look = Promise.withResolvers<void>();
        let looks = 0;
        readiness.need('database', () => {
            looks++;
            return look.promise;
        });
        const answers = Array.from({ length: 50 }, () => readiness.obstacles());
        look.resolve();
        for (const obstacles of await Promise.all(answers)) assert.deepEqual(obstacles, []);
        assert.equal(looks, 1);
    });

    it('looks at nothing before the process serves', async () => {
        const readiness = createReadiness({ log: silent });
        readiness.need('database', () => assert.fail());
        assert.deepEqual(await readiness.obstacles(), ['it starts, or stops']);
    });

    it('logs what is missing once, however often it is asked, and that it is there again', async () => {
        const lines: Array<{ msg: string; obstacles?: string[] }> = [];
        const write = (line: string, _: unknown, done: () => void) => {
            lines.push(JSON.parse(line));
            done();
        };
        const readiness = createReadiness({ log: pino(new Writable({ decodeStrings: false, write })) });
        readiness.serving = true;
        let lost = true;
        readiness.need('did', async () => {
            if (lost) throw new Error('cannot be reached', { cause: new Error('refused') });
        });
        for (let asked = 0; asked < 3; asked++) assert.deepEqual(await readiness.obstacles(), ['did: refused']);
        lost = false;
        for (let asked = 0; asked < 3; asked++) assert.deepEqual(await readiness.obstacles(), []);
        assert.deepEqual(
            lines.map(({ msg, obstacles }) => [msg, obstacles]),
            [
                ['not ready', ['did: refused']],
                ['ready again', undefined],
            ],
        );
    });
});
