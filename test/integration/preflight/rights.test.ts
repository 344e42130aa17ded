import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { after, it } from 'node:test';
import { Client } from 'pg';
import { preflightRights } from '../../../platform/preflight/rights.ts';
import { SERVICE_ROLES } from '../../../proto/services.ts';
import { COUNTING } from '../../../services/counts/pending.store.ts';
import { tableUses } from '../../../services/table-uses.ts';
import { redisUrl, testDatabase } from '../../support/harness.ts';
import { inherited } from '../../support/members.ts';

const { url } = await testDatabase();
const admin = process.env['TEST_ADMIN_URL'] ?? assert.fail('run this by "npm test -- <file>"');
const role = `t_${randomBytes(6).toString('hex')}`;
const limited = Object.assign(new URL(url), { username: role, password: 'hush' }).href;

async function inDatabase(statements: string, database = new URL(url).pathname) {
    const client = new Client({ connectionString: Object.assign(new URL(admin), { pathname: database }).href });
    await client.connect();
    return client.query(statements).finally(() => client.end());
}

await inDatabase(`CREATE ROLE ${role} LOGIN PASSWORD 'hush'`);
after(() => inDatabase(`DROP ROLE ${role}`, '/postgres')); // runs when the database and its rights are gone

it('a role that may connect but lacks a right is refused at the start, with one line', async () => {
    const child = spawn(process.execPath, ['main.ts', 'did'], {
        stdio: ['ignore', 'ignore', 'pipe'],
        env: {
            ...inherited(),
            REDIS_URL: redisUrl,
            SERVICE_TOKEN: 'a token',
            DATABASE_URL: limited,
            OPS_PORT: '0',
        },
        timeout: 60_000,
    });
    const errors = (await child.stderr.setEncoding('utf8').toArray()).join('');
    const line = JSON.parse(errors);
    assert.deepEqual([line.level, line.step, line.stack], [60, 'database', undefined]);
    assert.match(
        line.msg,
        new RegExp(`The role ${role} lacks the right USAGE on the schema did\\. \\d+ further rights`),
    );
    assert.doesNotMatch(errors, /hush/);
});

it('a role needs only the rights of its services, and the refusal names the one that it lacks', async () => {
    const starts = () => preflightRights(limited, tableUses({ runs: ['did'], counts: [] }));
    await inDatabase(`GRANT USAGE ON SCHEMA did TO ${role};
        GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA did TO ${role};
        GRANT DELETE ON did.accounts, did.idempotency TO ${role}`);
    await assert.rejects(starts, { step: 'database', message: /DELETE on the table did\.\w+\. \d further/ });
    await inDatabase(`GRANT DELETE ON ALL TABLES IN SCHEMA did TO ${role}; GRANT SELECT ON migrations TO ${role}`);
    await starts();
    await inDatabase(`REVOKE SELECT ON migrations FROM ${role}`);
    await assert.rejects(starts, { message: /SELECT on the table public\.migrations\.$/ });
});

it('the owner has every right, and every table that a service names exists', async () => {
    const uses = tableUses({ runs: SERVICE_ROLES, counts: COUNTING });
    await preflightRights(url, uses);
    for (const { schema, table } of uses) {
        const found = table ? `to_regclass('${schema}.${table}')` : `to_regnamespace('${schema}')`;
        const { rows } = await inDatabase(`SELECT ${found} IS NOT NULL AS found`);
        assert.deepEqual(rows, [{ found: true }], `${schema}.${table}`);
    }
});
