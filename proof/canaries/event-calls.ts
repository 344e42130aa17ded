import assert from 'node:assert/strict';
import { pbkdf2Sync, randomBytes } from 'node:crypto';
import { type Call, expectError, expectOk, send } from '../../test/e2e/support/client.ts';
import { newEmail } from '../../test/e2e/support/world.ts';
import { startReceiver } from '../../test/support/receiver.ts';
import type { Canaries } from './canary.ts';
import { post, twice } from './posts.ts';

const asTrusted = { internal: true } as const;
const ROUNDS = 1_000;

/** Makes every call of webhooks: one is created, tried, changed and removed, and each of its secrets signs. */
export async function livedWebhook(caller: Partial<Call>, canaries: Canaries): Promise<void> {
    await using receiver = await startReceiver(JSON.parse(process.env['E2E_RECEIVER'] as string));
    const url = `${receiver.url}/${canaries.text('token in the URL of a webhook', ['database'])}`;
    const description = canaries.text('description of a webhook', ['database']);
    const body = { url, types: ['key.created'], description };
    const { webhook_id, secret } = await twice(201, post('/v1/webhooks', body, caller), canaries);
    noteSecret(canaries, 'secret of a webhook', secret);
    const path = `/v1/webhooks/${webhook_id}`;
    await expectOk(201, post(`${path}/test`, {}, caller));
    const rotated = await expectOk(201, post(`${path}/rotate-secret`, { overlap_seconds: 60 }, caller));
    noteSecret(canaries, 'next secret of a webhook', rotated.secret);
    await expectOk(201, post(`${path}/test`, {}, caller));
    for (const { headers } of await receiver.first(2)) assert.ok(headers['webhook-signature']);
    await expectOk(200, { path: `${path}/deliveries`, ...caller });
    const wrong = `https://user:${canaries.text('password in the URL of a webhook')}@receiver.example/`;
    await expectError(400, post('/v1/webhooks', { ...body, url: wrong }, caller));
    await expectError(400, { method: 'PATCH', path, body: { url: wrong }, ...caller });
    await expectOk(200, { path: '/v1/webhooks', ...caller });
    await expectOk(200, { method: 'DELETE', path, ...caller });
}

function noteSecret(canaries: Canaries, label: string, secret: string): void {
    canaries.known(label, Buffer.from(secret.slice('whsec_'.length), 'base64'));
}

/** Imports users with hashes of their passwords. One logs in, and its hash is replaced. */
export async function livedImport(canaries: Canaries): Promise<void> {
    const password = canaries.text('password of an imported user');
    const user = { email: newEmail(), password_hash: hashOf(password) };
    const refused = { ...user, password_hash: canaries.text('password hash that is none') };
    const body = [user, refused, canaries.text('line that is none')].map((line) =>
        typeof line === 'string' ? line : JSON.stringify(line),
    );
    const headers = { 'content-type': 'application/x-ndjson' };
    const path = '/internal/v1/admin/users/import';
    const { status } = await send({ method: 'POST', path, headers, body: body.join('\n'), ...asTrusted });
    assert.equal(status, 200);
    await expectOk(200, post('/internal/v1/auth/login', { email: user.email, password }));
    const wrong = canaries.text('wrong password of an imported user');
    await expectError(401, post('/internal/v1/auth/login', { email: user.email, password: wrong }));
}

function hashOf(password: string): string {
    const salt = randomBytes(16);
    const [shownSalt, hash] = [salt, pbkdf2Sync(password, salt, ROUNDS, 32, 'sha256')].map((bytes) =>
        bytes.toString('base64').replaceAll('=', ''),
    );
    return `$pbkdf2-sha256$i=${ROUNDS}$${shownSalt}$${hash}`;
}

/** Erases a subject whose DID has a canary, and exports what there is. */
export async function livedExports(caller: Partial<Call>, canaries: Canaries): Promise<void> {
    const subject = `did:web:${canaries.text('DID of a subject', ['database'])}.example`;
    await expectOk(200, post('/internal/v1/subjects/erase', { subject_did: subject }, asTrusted));
    await expectOk(200, { path: '/v1/events', ...caller });
    for (const call of [
        { path: '/v1/me/export', ...caller },
        { path: '/internal/v1/audit', ...asTrusted },
    ])
        assert.equal((await send(call)).status, 200);
}
