import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, describe, it } from 'node:test';
import { Client } from 'pg';
import { Webhook } from 'standardwebhooks';
import { z } from 'zod';
import { sql } from '../../../platform/postgres/db.ts';
import { loadConfig } from '../../../platform/process/config.ts';
import { createMetrics } from '../../../platform/telemetry/metrics.ts';
import { keyEncryption } from '../../../services/signing/key-encryption/key-encryption.ts';
import { replaceDataKeys } from '../../../services/signing/key-encryption/replace-data-keys.ts';
import { replacementStore } from '../../../services/signing/key-encryption/replacement.store.ts';
import { testContext } from '../../support/harness.ts';
import { nextMillisecond, until } from '../../support/until.ts';
import { type Signing, startSigning } from './signing.fixture.ts';

const { db, url, kek, open, signing } = await startSigning();
const locker = new Client({ connectionString: url });
locker.on('error', () => {}); // the database is dropped before the connection is closed
await locker.connect();
after(() => locker.end());

/** A webhook of a new account. */
async function newWebhook() {
    const context = testContext({ trusted: true });
    const webhookId = randomUUID() as string;
    const { secret } = await signing.createWebhookSecret({ webhook_id: webhookId }, context);
    return { webhook_id: webhookId, secret, context };
}

/** Signs a message, and returns with which of these secrets each signature was made. */
async function signedWith(
    { webhook_id, context }: Omit<Awaited<ReturnType<typeof newWebhook>>, 'secret'>,
    secrets: readonly string[],
    service: Signing = signing,
): Promise<number[]> {
    const now = new Date();
    const timestamp = Math.floor(now.getTime() / 1_000);
    const message = { webhook_id, message_id: 'a.1', timestamp, body: '{"a":1}' };
    const { signatures } = await service.signWebhook(message, context);
    const expected = secrets.map((secret) => new Webhook(secret).sign('a.1', now, '{"a":1}'));
    return signatures.map((signature) => expected.indexOf(signature));
}

describe('the secret of a webhook', () => {
    it('signs as another implementation does, in every process', async () => {
        const webhook = await newWebhook();
        for (const service of [signing, open()])
            assert.deepEqual(await signedWith(webhook, [webhook.secret], service), [0]);
    });

    it('is replaced at once in every process, and the earlier one signs until the overlap is over', async () => {
        const webhook = await newWebhook();
        const other = open();
        await signedWith(webhook, [], other); // which remembers the first secret
        await nextMillisecond();
        const { webhook_id, context } = webhook;
        const second = await signing.rotateWebhookSecret({ webhook_id, overlap_seconds: 60 }, context);
        assert.deepEqual(await signedWith(webhook, [webhook.secret, second.secret], other), [1, 0]);
        const third = await signing.rotateWebhookSecret({ webhook_id, overlap_seconds: 0 }, context);
        assert.deepEqual(await signedWith(webhook, [webhook.secret, second.secret, third.secret], other), [2]);
        const fourth = await signing.rotateWebhookSecret({ webhook_id, overlap_seconds: 0 }, context);
        assert.deepEqual(await signedWith(webhook, [third.secret, fourth.secret], other), [1]);
    });

    it('is rotated by concurrent calls one after the other, and one of the new secrets stays', async () => {
        const webhook = await newWebhook();
        const { webhook_id, context } = webhook;
        const calls = Array.from({ length: 4 }, () =>
            signing.rotateWebhookSecret({ webhook_id, overlap_seconds: 60 }, context),
        );
        const secrets = (await Promise.all(calls)).map(({ secret }) => secret);
        const used = await signedWith(webhook, secrets);
        assert.equal(used.length, 2);
        assert.ok(used.every((index) => index >= 0));
    });

    it('is rotated although all secrets that there were are replaced while the call waits for them', async () => {
        const { webhook_id, context } = await newWebhook();
        await locker.query('BEGIN');
        // Two other rotations would leave this behind.
        await locker.query(
            `WITH replaced AS (DELETE FROM signing.webhook_secrets WHERE webhook = $1 RETURNING *)
             INSERT INTO signing.webhook_secrets (id, webhook, account, sealed, data_key, created_at)
             SELECT $2, webhook, account, sealed, data_key, created_at FROM replaced`,
            [webhook_id, randomUUID()],
        );
        const call = signing.rotateWebhookSecret({ webhook_id, overlap_seconds: 60 }, context);
        await until('the call waits', async () => {
            const waiting = await db.rows(sql.unsafe`
                SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`);
            return waiting.length === 1;
        });
        await locker.query('COMMIT');
        assert.match((await call).secret, /^whsec_/);
        await signing.eraseWebhookSecrets({ webhook_id }, context); // the copy opens under no id
    });

    it('is unknown to another account, and gone when it is erased', async () => {
        const { webhook_id, context } = await newWebhook();
        const message = { webhook_id, message_id: 'a', timestamp: 1, body: '{}' };
        const eve = testContext({ trusted: true });
        await assert.rejects(signing.signWebhook(message, eve), { kind: 'not_found' });
        await assert.rejects(signing.rotateWebhookSecret({ webhook_id, overlap_seconds: 0 }, eve), {
            kind: 'not_found',
        });
        await signing.eraseWebhookSecrets({ webhook_id }, eve);
        assert.equal((await signing.signWebhook(message, context)).signatures.length, 1);
        await signing.eraseWebhookSecrets({ webhook_id }, context);
        await assert.rejects(open().signWebhook(message, context), { kind: 'not_found' });
        for (const call of [
            () => signing.signWebhook(message, { ...context, trusted: false }),
            () => signing.createWebhookSecret({ webhook_id }, { ...context, trusted: false }),
        ])
            await assert.rejects(call(), { kind: 'forbidden' });
    });

    it('is not stored in clear, and is the same after the data keys are replaced', async () => {
        const webhook = await newWebhook();
        const row = z.strictObject({ now: z.string(), text: z.string() });
        const [stored] = await db.rows(sql.type(row)`
            SELECT clock_timestamp() AS now, string_agg(sealed::text, '') AS text FROM signing.webhook_secrets`);
        const bytes = Buffer.from(webhook.secret.slice('whsec_'.length), 'base64');
        assert.ok(!stored?.text.includes(bytes.toString('hex')));
        const keys = keyEncryption({ config: loadConfig({ KEK: kek }), metrics: createMetrics() });
        const store = replacementStore(db);
        await replaceDataKeys(stored?.now ?? '', { store, keys, print: () => {}, callsEnd: async () => {} });
        assert.equal(await store.count(stored?.now ?? ''), 0);
        assert.deepEqual(await signedWith(webhook, [webhook.secret], open()), [0]);
    });

    it('that is lost with its data key signs nothing, until it is rotated', async () => {
        const webhook = await newWebhook();
        const { webhook_id, context } = webhook;
        await db.rows(
            sql.unsafe`UPDATE signing.data_keys SET abandoned_at = now() WHERE account = ${context.user_id ?? null}`,
        );
        await assert.rejects(signedWith(webhook, [], open()), { kind: 'conflict' });
        const { secret } = await open().rotateWebhookSecret({ webhook_id, overlap_seconds: 0 }, context);
        assert.deepEqual(await signedWith(webhook, [secret], open()), [0]);
    });
});
