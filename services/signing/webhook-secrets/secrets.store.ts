import { z } from 'zod';
import type { Coalescer } from '../../../platform/batch.ts';
import type { CallLifetime } from '../../../platform/context.ts';
import { type Database, type Queries, sql } from '../../../platform/postgres/db.ts';
import { makeClaim, type NewClaim } from '../../idempotency/claims.store.ts';
import type { Sealed, WebhookSecretBinding } from '../data-keys.ts';
import { groups } from '../store.ts';

const secretRow = z.strictObject({
    key: z.string(),
    id: z.string(),
    account: z.string(),
    sealed: z.instanceof(Buffer),
    data_key: z.string(),
    ends_at: z.string().nullable(),
});
type SecretRow = z.infer<typeof secretRow>;

/** A sealed secret, and what it is bound to. */
export interface NewSecret extends WebhookSecretBinding, Sealed {
    created_at: string;
}

export interface WebhookSecretsStore {
    insert(secret: NewSecret, lifetime: CallLifetime): Promise<void>;
    /** Replaces the secret of a webhook. `endsAt`: until when the one before it signs, too. */
    rotate(
        rotation: { secret: NewSecret; endsAt: string; claim: NewClaim | undefined },
        lifetime: CallLifetime,
    ): Promise<'written' | 'held' | 'missing'>;
    /** Returns the secrets of a webhook, by its id, the newest first. */
    find: Coalescer<string, SecretRow[]>;
    erase(own: Pick<WebhookSecretBinding, 'account' | 'webhook'>, lifetime: CallLifetime): Promise<void>;
}

export function webhookSecretsStore(db: Database): WebhookSecretsStore {
    return {
        async insert(secret, lifetime) {
            await db.rows(inserted(secret), 'webhook_secret_insert', lifetime);
        },
        rotate: (rotation, lifetime) =>
            db.transaction((transaction) => rotate(transaction, rotation), 'webhook_secret_rotate', lifetime),
        find: groups(
            db,
            'signing_webhook_secrets',
            (webhooks) => sql.type(secretRow)`
                SELECT webhook AS key, id, account, sealed, data_key, ends_at FROM signing.webhook_secrets
                WHERE webhook = ANY(${sql.array(webhooks, 'uuid')}) ORDER BY id DESC`,
        ),
        async erase({ account, webhook }, lifetime) {
            const statement = sql.unsafe`
                DELETE FROM signing.webhook_secrets WHERE webhook = ${webhook} AND account = ${account}`;
            await db.rows(statement, 'webhook_secret_erase', lifetime);
        },
    };
}

function inserted({ secret, webhook, account, sealed, data_key, created_at }: NewSecret) {
    return sql.unsafe`
        INSERT INTO signing.webhook_secrets (id, webhook, account, sealed, data_key, created_at)
        VALUES (${secret}, ${webhook}, ${account}, ${sql.binary(sealed)}, ${data_key}, ${created_at})`;
}

async function rotate(
    transaction: Queries,
    { secret, endsAt, claim }: { secret: NewSecret; endsAt: string; claim: NewClaim | undefined },
): Promise<'written' | 'held' | 'missing'> {
    const { rows } = transaction;
    const own = sql.fragment`webhook = ${secret.webhook} AND account = ${secret.account}`;
    if (!(await lockSecrets(transaction, own))) return 'missing';
    if (claim && !(await makeClaim(transaction, 'signing', claim))) return 'held';
    await rows(sql.unsafe`DELETE FROM signing.webhook_secrets WHERE ${own} AND ends_at IS NOT NULL`);
    await rows(sql.unsafe`UPDATE signing.webhook_secrets SET ends_at = ${endsAt} WHERE ${own}`);
    await rows(inserted(secret));
    return 'written';
}

/**
 * Locks the secrets of a webhook. Resolves to false if it has none. Other rotations may have replaced all secrets for
 * which the statement has waited: then it locked none, and the next one finds their new secrets.
 */
async function lockSecrets({ rows }: Queries, own: ReturnType<typeof sql.fragment>): Promise<boolean> {
    for (;;) {
        const locked = await rows(sql.unsafe`
            SELECT id FROM signing.webhook_secrets WHERE ${own} ORDER BY id FOR UPDATE`);
        if (locked.length > 0) return true;
        const present = await rows(sql.unsafe`SELECT id FROM signing.webhook_secrets WHERE ${own} LIMIT 1`);
        if (present.length === 0) return false;
    }
}
