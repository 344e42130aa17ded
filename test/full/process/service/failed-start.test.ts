import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Client } from 'pg';
import { pickPort } from '../../../../deploy/local/ports.ts';
import { emptyDatabase, redisUrl } from '../../../support/harness.ts';
import { inherited } from '../../../support/members.ts';
import { until } from '../../../support/until.ts';

const url = await emptyDatabase();
const admin = process.env['TEST_ADMIN_URL'] ?? assert.fail('run this by "npm test -- <file>"');
const other = (changes: object): string => Object.assign(new URL(url), changes).href;

/** Throws as soon as the start listens for what nobody catches. */
const THROW_IN_START = `process.on('newListener', (name) => {
    if (name === 'uncaughtException') setImmediate(() => { throw new Error('nobody expects it'); });
});`;

/** Runs `main.ts`. `output` grows; `ended` has the exit code, and standard error. */
function start(role: string, settings: Record<string, string>) {
    const env = { ...inherited(), PORT: '0', REDIS_URL: redisUrl, SERVICE_TOKEN: 'a token', ...settings };
    const child = spawn(process.execPath, ['main.ts', role], { stdio: ['ignore', 'pipe', 'pipe'], env });
    const [output, errors]: [string[], string[]] = [[], []];
    child.stdout.setEncoding('utf8').on('data', (text) => output.push(text));
    child.stderr.setEncoding('utf8').on('data', (text) => errors.push(text));
    const ended = once(child, 'close').then(([code]) => ({ code, errors: errors.join('') }));
    return { output: () => output.join(''), ended };
}

async function inAdmin(statement: string): Promise<void> {
    const client = new Client({ connectionString: admin });
    await client.connect();
    await client.query(statement).finally(() => client.end());
}

async function latin1(): Promise<string> {
    const name = `${new URL(url).pathname.slice(1)}_latin1`;
    await inAdmin(`CREATE DATABASE ${name} OWNER credentials ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`);
    return name;
}

describe('a start that cannot succeed ends with one line of JSON', () => {
    const cases: Array<[what: string, role: string, step: string, reason: RegExp, settings: () => object]> = [
        [
            'a wrong password',
            'migrate',
            'database',
            /password authentication failed/,
            () => ({ DATABASE_URL: other({ password: 'hush' }) }),
        ],
        [
            'a wrong password',
            'did',
            'database',
            /password authentication failed/,
            () => ({ DATABASE_URL: other({ password: 'hush' }) }),
        ],
        [
            'a role that does not own the database',
            'migrate',
            'database',
            /does not own it/,
            () => ({ DATABASE_URL: other({ pathname: '/postgres' }) }),
        ],
        [
            'no TLS where it is asked for',
            'migrate',
            'database',
            /does not support SSL/,
            () => ({ DATABASE_URL: other({ search: '?sslmode=require' }) }),
        ],
        [
            'an address that does not resolve',
            'gateway',
            'operations port',
            /nowhere\.invalid/,
            () => ({ HOST: 'nowhere.invalid' }),
        ],
        [
            'a directory in LOG_FILE',
            'did',
            'log',
            /LOG_FILE cannot be opened: EISDIR/,
            () => ({ LOG_FILE: import.meta.dirname }),
        ],
        [
            'a directory of LOG_FILE that cannot be created',
            'migrate',
            'log',
            /LOG_FILE cannot be opened: (EEXIST|ENOTDIR)/,
            () => ({ LOG_FILE: join(import.meta.filename, 'below', 'log') }),
        ],
        [
            'no right to write LOG_FILE',
            'gateway',
            'log',
            /LOG_FILE cannot be opened: EACCES/,
            () => ({ LOG_FILE: '/proc/sys/kernel/ostype' }), // read-only for root, too
        ],
        [
            'an error that no code catches',
            'gateway',
            'start',
            /nobody expects it/,
            () => ({ NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(THROW_IN_START)}` }),
        ],
        ['an unknown role and a LOG_FILE', 'nobody', 'settings', /Name one/, () => ({ LOG_FILE: '/dev/null' })],
        ['a wrong setting', 'gateway', 'settings', /PORT: must be/, () => ({ PORT: 'hush' })],
    ];
    for (const [what, role, step, reason, settings] of cases) {
        it(`for ${role} with ${what}`, async () => refused(role, step, reason, { ...settings() }));
    }

    it('for a database that is not UTF8', async (t) => {
        const name = await latin1();
        t.after(() => inAdmin(`DROP DATABASE ${name} WITH (FORCE)`));
        await refused('migrate', 'database', /encoding is LATIN1/, { DATABASE_URL: other({ pathname: `/${name}` }) });
    });
});

async function refused(role: string, step: string, reason: RegExp, settings: Record<string, string>): Promise<void> {
    const { code, errors } = await start(role, { DATABASE_URL: url, ...settings }).ended;
    assert.equal(code, 1);
    const lines = errors.trim().split('\n');
    assert.equal(lines.length, 1, errors);
    const line = JSON.parse(errors);
    assert.deepEqual([line.level, line.step, line.stack], [60, step, undefined], errors);
    assert.match(line.msg, reason);
    assert.doesNotMatch(errors, /hush/);
}

it('migrate waits for a database that starts', async (t) => {
    const port = await pickPort();
    const migration = start('migrate', { DATABASE_URL: other({ host: `127.0.0.1:${port}` }) });
    await until('it waits', () => migration.output().includes('waiting for the database'));
    const { hostname, port: behind } = new URL(url);
    const proxy = createServer((near) => {
        const far = connect(Number(behind), hostname);
        far.on('error', () => near.destroy());
        near.on('error', () => far.destroy());
        near.pipe(far).pipe(near);
    }).listen(port, '127.0.0.1');
    t.after(() => proxy.close());
    assert.deepEqual(await migration.ended, { code: 0, errors: '' });
});

it('migrate ends well with a log that cannot be written', async () => {
    const { code, errors } = await start('migrate', { DATABASE_URL: url, LOG_FILE: '/dev/full' }).ended;
    assert.equal(code, 0, errors);
    assert.match(errors, /^(The log cannot be written: ENOSPC.*\n)?$/);
});
