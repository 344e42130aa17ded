import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { it } from 'node:test';
import { sql } from '../../../platform/postgres/db.ts';
import { until } from '../../support/until.ts';
import { lanesFixture, OK } from './lanes.fixture.ts';

const { db, open, newEndpoint, append } = await lanesFixture();

it('webhooks that fail, and hang in all their places, do not delay the first delivery to another one', async () => {
    for (const account of Array.from({ length: 14 }, () => randomUUID())) {
        for (let count = 0; count < 10; count++) await newEndpoint({ account });
        await append(account, 1);
    }
    await db.rows(sql.unsafe`UPDATE webhooks.endpoints SET failures = 1`);
    const over = new AbortController();
    const aborted = once(over.signal, 'abort');
    let hanging = 0;
    let isDelivered = false;
    const { serve } = open(async ({ url }) => {
        if (url.endsWith('/healthy')) {
            isDelivered = true;
            return OK;
        }
        hanging++;
        await aborted;
        return { kind: 'failed', reason: 'It was broken off.' };
    });
    const served: Promise<unknown>[] = [];
    for (const all of [100, 128]) {
        served.push(serve(over.signal)); // it takes up to 100 webhooks
        await until(`${all} hang`, () => hanging === all, 10_000);
    }
    const healthy = await newEndpoint();
    await healthy.change('active', 'https://shop.example/healthy');
    await append(healthy.account, 1);
    served.push(serve(over.signal));
    await until('the other one is served', () => isDelivered, 10_000);
    over.abort();
    await Promise.all(served);
});
