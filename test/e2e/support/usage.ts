import assert from 'node:assert/strict';
import type { Client } from 'pg';
import { until } from '../../support/until.ts';
import { expectOk } from './client.ts';
import type { Account } from './world.ts';

/** Kinds of requests in usage.deltas and usage.totals. */
type Kind = 'requests' | 'rate_limit_hits' | 'presentations_verified';

/** Waits until the statistics count exactly this much for the account. Asking the service would count as a request. */
export async function counted(db: Client, { user_id }: Account, kind: Kind, amount: number): Promise<void> {
    await until(`${amount} ${kind} are counted`, async () => {
        const { rows } = await db.query(
            `SELECT coalesce(sum(amount), 0)::int AS sum FROM (
                SELECT amount FROM usage.totals WHERE account = $1 AND kind = $2
                UNION ALL SELECT amount FROM usage.deltas WHERE account = $1 AND kind = $2) AS both_parts`,
            [user_id, kind],
        );
        assert.ok(rows[0].sum <= amount, `${rows[0].sum} ${kind} instead of ${amount}`);
        return rows[0].sum === amount;
    });
}

/** Waits until a gateway shows exactly this number of requests with the key today. Returns the key as it shows it. */
export async function usedKey(owner: Account, keyId: string, requests: number, gateway = 0) {
    let key = await expectOk(200, { path: `/v1/keys/${keyId}`, token: owner.token, gateway });
    await until(`${requests} requests with the key are counted`, async () => {
        key = await expectOk(200, { path: `/v1/keys/${keyId}`, token: owner.token, gateway });
        assert.ok(key.usage.requests_today <= requests, `${key.usage.requests_today} instead of ${requests}`);
        return key.usage.requests_today === requests;
    });
    return key;
}
