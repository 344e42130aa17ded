import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { promisify } from 'node:util';
import { inherited } from '../../../support/members.ts';
import { startService } from '../../../support/service.ts';
import { until } from '../launch/launch.ts';

const logDir = mkdtempSync(join(tmpdir(), 'lost-kek-'));
const kekFile = join(logDir, 'kek');
const useNewKek = () => writeFileSync(kekFile, randomBytes(32).toString('base64'));

it('a service without the key-encryption key says so, and serves all accounts again when the key is given up', async () => {
    useNewKek();
    const service = await startService({
        transport: 'local',
        gateways: 1,
        // npm test sets all three
        adminUrl: process.env['TEST_ADMIN_URL'] as string,
        databaseUrl: process.env['TEST_DATABASE_URL'] as string,
        redisUrl: process.env['TEST_REDIS_URL'] as string,
        logDir,
        settings: { DATABASE_POOL: '2', SIGNATURE_THREADS: '1', PASSWORD_THREADS: '1', KEK_FILE: kekFile },
    });
    after(async () => {
        await service.stop();
        rmSync(logDir, { recursive: true });
    });
    Object.assign(process.env, service.env); // the end-to-end helpers find the service by these
    const { expectOk, GATEWAYS, service: client } = await import('../../../e2e/support/client.ts');
    const { aManagedIssuer, issue, issueBody, newDid, payloadOf, verify } = await import(
        '../../../e2e/support/world.ts'
    );
    const ops = async (path: string) => {
        const answer = await fetch(`http://${service.ops[0]?.target}${path}`).catch(() => undefined);
        return (await answer?.text()) ?? '';
    };

    const web = await aManagedIssuer();
    const { token } = web;
    const key = await aManagedIssuer({ token, method: 'key' });
    const before = await issue(token, web, { status_list: true });
    const own = await newDid(token);

    useNewKek();
    const restarted = service.restart(0);
    const missing = await until('the process says what it lacks', async () => {
        const text = await ops('/readyz');
        return /^kek: .*(kek-[0-9a-f]{16}), which this process does not have\./m.exec(text)?.[1];
    });
    assert.match(await ops('/metrics'), /^key_encryption_keys_missing 1$/m);
    /** The status of a call that fails on the server's side, which no helper expects. */
    const refused = async (path: string, body: object) => {
        const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
        const answer = await fetch(`${GATEWAYS[0]}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
        return { status: answer.status, wait: answer.headers.get('retry-after') };
    };
    const unavailable = { status: 503, wait: '5' };
    for (const body of [
        issueBody(web, own.did),
        issueBody(key, own.did),
        issueBody(own, own.did, { status_list: true }),
    ])
        assert.deepEqual(await refused('/v1/credentials', body), unavailable);
    assert.deepEqual(await refused('/v1/issuers', { name: 'x', method: 'key' }), unavailable);
    await issue(token, own);
    assert.equal((await verify(token, before.credential, web.did)).valid, true);

    const settings = { ...inherited(), DATABASE_URL: service.env['E2E_DATABASE_URL'], KEK_FILE: kekFile };
    const command = ['deploy/local/rewrap.ts', '--abandon', missing];
    const { stdout } = await promisify(execFile)(process.execPath, command, { env: settings });
    assert.match(stdout, new RegExp(`^${web.did} of account .*: its owner must rotate its EdDSA key$`, 'm'));
    assert.match(stdout, new RegExp(`^${key.did} of account .*: archived$`, 'm'));
    assert.match(stdout, /^did:key:\S+ of the service itself: archived, with its status lists: 1$/m);

    await restarted; // it becomes ready by itself
    assert.match(await ops('/metrics'), /^key_encryption_keys_missing 0$/m);
    await aManagedIssuer({ token, method: 'key' });
    assert.equal((await refused('/v1/credentials', issueBody(web, own.did))).status, 409);
    await client.as({ token }).issuers.rotate({ issuer_id: web.issuer_id });
    const next = await issue(token, web, { status_list: true });
    const placeOf = ({ credential }: typeof next) =>
        (payloadOf(credential)['status'] as { status_list: { uri: string; iss: string } }).status_list;
    assert.notEqual(placeOf(next).iss, placeOf(before).iss);
    assert.equal((await verify(token, before.credential, web.did)).valid, true);
    await expectOk(200, { path: new URL(placeOf(next).uri).pathname });
});
