import { createHmac } from 'node:crypto';
import { type CallContext, requireTrusted } from '../../../platform/context.ts';
import { invalid } from '../../../platform/errors.ts';
import type { SignWebhookRequest, SignWebhookResponse } from '../../../proto/gen/signing/v1/signing.ts';
import { MAX_WEBHOOK_BYTES } from '../../../proto/limits.ts';
import { moveToSecureMemory, wipeSecret } from '../../../workers/crypto/secure-memory.ts';
import { leases } from '../../issuers/leases.ts';
import type { SigningDependencies } from '../dependencies.ts';
import { type OwnWebhook, ownWebhook, unknownWebhook } from './secrets.ts';

/** The secrets of a webhook in the memory of a process, until their lease ends. */
interface OpenSecrets {
    account: string;
    secrets: ReadonlyArray<{ bytes: Buffer; endsAt: number }>;
}

/**
 * Returns the method that signs messages to webhooks as Standard Webhooks 1.0.0 says: HMAC-SHA-256 of the id, the time and
 * the body. A process reads and opens the secrets of a webhook once in each lease.
 */
export function webhookSigner(deps: Pick<SigningDependencies, 'webhookSecrets' | 'seals' | 'clock'>) {
    const known = leases<OpenSecrets>(({ secrets }) => {
        for (const { bytes } of secrets) wipeSecret(bytes);
    });

    async function read({ account, webhook }: OwnWebhook, context: CallContext): Promise<OpenSecrets | undefined> {
        const rows = (await deps.webhookSecrets.find(webhook, context)).filter((row) => row.account === account);
        if (rows.length === 0) return undefined;
        const now = deps.clock();
        const current = rows.filter(({ ends_at }) => ends_at === null || Date.parse(ends_at) > now);
        const secrets = current.map(async (row) => {
            const plain = await deps.seals.open(row, { account, webhook, secret: row.id }, context);
            return {
                bytes: moveToSecureMemory(plain),
                endsAt: row.ends_at === null ? Number.POSITIVE_INFINITY : Date.parse(row.ends_at),
            };
        });
        return { account, secrets: await Promise.all(secrets) };
    }

    return async (
        { webhook_id, message_id, timestamp, body }: SignWebhookRequest,
        context: CallContext,
    ): Promise<SignWebhookResponse> => {
        requireTrusted(context);
        const own = ownWebhook(webhook_id, context);
        if (Buffer.byteLength(body) > MAX_WEBHOOK_BYTES) {
            throw invalid(`body may have at most ${MAX_WEBHOOK_BYTES} bytes.`);
        }
        const found = await known.find(own.webhook, () => read(own, context));
        if (found?.account !== own.account) throw unknownWebhook();
        const signed = `${message_id}.${timestamp}.${body}`;
        const now = deps.clock();
        const signing = found.secrets.filter(({ endsAt }) => endsAt > now);
        return {
            signatures: signing.map(({ bytes }) => `v1,${createHmac('sha256', bytes).update(signed).digest('base64')}`),
        };
    };
}
