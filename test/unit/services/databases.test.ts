import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pino } from 'pino';
import type { Database } from '../../../platform/postgres/db.ts';
import { createReadiness } from '../../../platform/telemetry/readiness.ts';
import { watchDatabases } from '../../../services/databases.ts';

/** Readiness of a process whose databases answer as `away` says at the moment. */
function watching(away: Record<string, boolean>) {
    const readiness = createReadiness({ log: pino({ enabled: false }) });
    readiness.serving = true;
    const own = Object.keys(away).map((name) => {
        const ping = async () => {
            if (away[name]) throw new Error('refused');
        };
        return { name, database: { ping } as Database };
    });
    watchDatabases(own, readiness);
    return readiness;
}

describe('a process with several databases', () => {
    it('is ready while one of them answers, and names the others', async () => {
        const away = { a: false, b: true };
        const readiness = watching(away);
        assert.deepEqual(await readiness.failingChecks(), []);
        assert.deepEqual(readiness.remarks(), ['database b: refused']);
        away.a = true;
        assert.deepEqual(await readiness.failingChecks(), ['databases: refused']);
    });
});

it('a process with one database is not ready while it does not answer', async () => {
    assert.deepEqual(await watching({ a: true }).failingChecks(), ['database: refused']);
});
