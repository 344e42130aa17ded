import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { isMigrated, migrate } from '../../../../platform/postgres/migrate.ts';
import { SCHEMAS } from '../../../../services/schemas.ts';
import { emptyDatabase, quiet } from '../../../support/harness.ts';
import { skip, startPgbouncer } from '../../../support/pgbouncer.ts';
import { startService } from '../../../support/service.ts';

/** End-to-end tests with transactions, and with statements that are prepared if there is no pooler. */
const FILES = ['keys/keys', 'keys/statistics', 'credentials/revoke'].map((name) => `test/e2e/${name}.test.ts`);

it('the service works behind pgbouncer in transaction mode, with fewer connections than it opens', {
    skip,
}, async (t) => {
    const { closing, dir, databaseUrl, pgbouncer } = await start(t);
    const service = await startService({
        transport: 'local',
        adminUrl: process.env['TEST_ADMIN_URL'] as string,
        databaseUrl,
        redisUrl: process.env['TEST_REDIS_URL'] as string,
        poolerUrl: pgbouncer.url,
        logDir: dir,
    });
    closing.defer(() => service.stop());
    // Without this variable, Node's test runner does not take these files for parts of this one.
    const env = { ...process.env, ...service.env, NODE_TEST_CONTEXT: undefined };
    const { stdout } = await promisify(execFile)(process.execPath, ['--test', '--test-reporter=tap', ...FILES], {
        env,
    });
    assert.match(stdout, /^# fail 0$/m);
    assert.doesNotMatch(stdout, /^# pass 0$/m);
});

it('three concurrent runners apply each migration once through pgbouncer in transaction mode', {
    skip,
}, async (t) => {
    const { pgbouncer } = await start(t);
    const { pathname } = new URL(await emptyDatabase());
    const { href } = Object.assign(new URL(pgbouncer.url), { pathname });
    const runners = [1, 2, 3].map(() => migrate(href, { schemas: SCHEMAS, log: quiet }));
    const applied = (await Promise.all(runners)).flat();
    assert.equal(new Set(applied).size, applied.length, 'one was applied twice');
    const schemas = new Set(applied.map((name) => name.split('/')[0]));
    assert.deepEqual([...schemas].sort(), SCHEMAS.map(({ schema }) => schema).sort());
    assert.equal(await isMigrated(href, SCHEMAS), true);
});

async function start(t: TestContext) {
    const dir = mkdtempSync(join(tmpdir(), 'pgbouncer-'));
    const closing = new AsyncDisposableStack();
    t.after(() => closing.disposeAsync());
    closing.defer(() => rmSync(dir, { recursive: true }));
    const databaseUrl = process.env['TEST_DATABASE_URL'] as string; // npm test sets all three
    const pgbouncer = await startPgbouncer({ databaseUrl, dir });
    closing.defer(() => pgbouncer.stop());
    return { closing, dir, databaseUrl, pgbouncer };
}
