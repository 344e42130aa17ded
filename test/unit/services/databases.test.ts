import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pino } from 'pino';
import { createMetrics } from '../../../platform/telemetry/metrics.ts';
import { createReadiness } from '../../../platform/telemetry/readiness.ts';
import { exposeDatabases, watchDatabases } from '../../../services/databases.ts';

/** Databases that answer as `away` says at the moment. */
const databases = (away: Record<string, boolean>) =>
    Object.keys(away).map((name) => {
        const ping = async () => {
            if (away[name]) throw new Error('refused');
        };
        return { name, ping };
    });

/** Readiness of a process with these databases. */
function watching(away: Record<string, boolean>) {
    const readiness = createReadiness({ log: pino({ enabled: false }) });
    readiness.serving = true;
    watchDatabases(databases(away), readiness);
    return readiness;
}

describe('a process with several databases', () => {
    it('is ready while one of them answers, and names the others', async () => {
        const away = { a: false, b: true };
        const readiness = watching(away);
        assert.deepEqual(await readiness.failingChecks(), []);
        assert.deepEqual(readiness.remarks(), ['database b: refused']);
        away.a = true;
        const all = ['databases: refused', 'database a: refused', 'database b: refused'];
        assert.deepEqual(await readiness.failingChecks(), all);
    });
});

it('a process with one database is not ready while it does not answer', async () => {
    assert.deepEqual(await watching({ a: true }).failingChecks(), ['database: refused']);
});

it('the metrics of a process name each database, and say whether it answers', async () => {
    const metrics = createMetrics();
    const away = { a: false, b: true };
    exposeDatabases(metrics, databases(away));
    const answers = async () => {
        const { text } = await metrics.expose();
        return text.split('\n').filter((line) => line.startsWith('database_answers{'));
    };
    assert.deepEqual(await answers(), ['database_answers{database="a"} 1', 'database_answers{database="b"} 0']);
    away.b = false;
    assert.deepEqual(await answers(), ['database_answers{database="a"} 1', 'database_answers{database="b"} 1']);
});
