import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Item } from '../../../../cli/src/batch/items.ts';
import { idempotencyKey, newPlan, sizeAt } from '../../../../cli/src/batch/plan.ts';
import { requestsOf } from '../../../../cli/src/batch/requests.ts';
import { all } from './files.ts';

async function* items(count: number, claims: unknown = {}): AsyncGenerator<Item> {
    for (let line = 1; line <= count; line++) yield { line, fields: { subject_did: `did:web:${line}`, claims } };
}

/** The numbers of items per request. */
async function sizes(given: AsyncIterable<Item>, maxItems: (start: number) => number = () => 1_000): Promise<number[]> {
    const requests = await all(requestsOf(given, maxItems));
    let start = 0;
    for (const request of requests) {
        assert.equal(request.start, start);
        start += request.items.length;
        const body = JSON.stringify(request.items.map(({ fields }) => fields));
        assert.ok(Buffer.byteLength(body) < 1 << 20);
        assert.ok((body.match(/,/g) ?? []).length < 40_000);
        assert.ok((body.match(/":/g) ?? []).length < 20_000);
    }
    return requests.map((request) => request.items.length);
}

describe('the requests of a batch', () => {
    it('have at most 1,000 items', async () => {
        assert.deepEqual(await sizes(items(2_500)), [1_000, 1_000, 500]);
        assert.deepEqual(await sizes(items(1_000)), [1_000]);
        assert.deepEqual(await sizes(items(0)), []);
    });

    it('have at most 700 KiB, counted in bytes', async () => {
        const found = await sizes(items(30, { text: 'ä'.repeat(32 << 10) })); // 64 KiB each
        assert.deepEqual(found, [10, 10, 10]);
    });

    it('have no more names and values than the service takes', async () => {
        const names = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`n${index}`, 1]));
        assert.deepEqual(await sizes(items(1_000, names)), [452, 452, 96]);
        assert.deepEqual(
            await sizes(
                items(
                    900,
                    Array.from({ length: 100 }, () => 1),
                ),
            ),
            [378, 378, 144],
        );
        await assert.rejects(
            sizes(
                items(
                    1,
                    Array.from({ length: 40_000 }, () => 1),
                ),
            ),
            /Line 1 has more names or values/,
        );
    });

    it('become smaller from an item on, and stay the same before it', async () => {
        const plan = newPlan('issue', 'sha', {});
        plan.sizes.push({ after: 1_000, items: 300 });
        assert.deepEqual(await sizes(items(2_000), (start) => sizeAt(plan, start)), [1_000, 300, 300, 300, 100]);
    });
});

describe('the Idempotency-Key of a request', () => {
    it('depends on the input, what is common to all requests, and the first line', () => {
        const key = idempotencyKey(newPlan('issue', 'sha', { issuer_did: 'd' }), 7);
        assert.match(key, /^cred-[\w-]{43}-7$/);
        const others = [
            idempotencyKey(newPlan('issue', 'sha', { issuer_did: 'd' }), 8),
            idempotencyKey(newPlan('issue', 'sha2', { issuer_did: 'd' }), 7),
            idempotencyKey(newPlan('issue', 'sha', { issuer_did: 'e' }), 7),
        ];
        assert.equal(new Set([key, ...others]).size, 4);
        const divided = newPlan('issue', 'sha', { issuer_did: 'd' });
        divided.sizes.push({ after: 0, items: 5 });
        assert.equal(idempotencyKey(divided, 7), key);
    });
});
