import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { ATTEMPTS_AT_MS } from '../../../services/webhooks/delivery/schedule.ts';
import { answer, lanesFixture, OK } from './lanes.fixture.ts';

const { clock, open, newEndpoint, append } = await lanesFixture();

const newUrl = () => `https://shop.example/${randomUUID()}`;

describe('a webhook that is changed', () => {
    it('with a new URL is not disabled by what the earlier one answers, and gets its deliveries at the new one', async () => {
        for (const status of [410, 500]) {
            const webhook = await newEndpoint();
            await append(webhook.account, 1);
            const urls: string[] = [];
            const { serve } = open(async ({ url }) => {
                urls.push(url);
                if (urls.length > 1) return OK;
                await webhook.change('active', 'https://shop.example/new');
                return answer(status);
            });
            await serve();
            assert.deepEqual(urls, ['https://shop.example/hooks', 'https://shop.example/new']);
            assert.equal((await webhook.find())?.state, 'active');
            const [delivery] = await webhook.deliveries();
            assert.deepEqual([delivery?.state, delivery?.attempts, delivery?.status], ['delivered', 2, 200]);
        }
    });

    it('with a new URL, or active again, gets at once what waits for a later attempt', async () => {
        for (const url of ['https://shop.example/new', undefined]) {
            const webhook = await newEndpoint();
            await append(webhook.account, 1);
            let sent = 0;
            const { serve } = open(async () => (++sent === 1 ? answer(500) : OK));
            await serve();
            await serve();
            assert.equal(sent, 1, 'the second attempt is due later');
            await webhook.change('active', url);
            await serve();
            assert.equal(sent, 2);
            assert.equal((await webhook.deliveries())[0]?.state, 'delivered');
        }
    });

    it('does not use up the attempts of a delivery when it is made active again and again', async () => {
        const webhook = await newEndpoint();
        await append(webhook.account, 1);
        const { serve } = open(async () => answer(500));
        for (let round = 0; round < ATTEMPTS_AT_MS.length + 2; round++) {
            await serve();
            await webhook.change('active');
        }
        await serve();
        const [delivery] = await webhook.deliveries();
        assert.deepEqual([delivery?.state, delivery?.attempts], ['waiting', 1]);
    });

    it('that is made active during an attempt begins without failures', async () => {
        const webhook = await newEndpoint();
        await append(webhook.account, 1);
        const began = clock.now;
        const { serve } = open(async () => {
            if (clock.now > began) await webhook.change('active');
            return answer(500);
        });
        await serve();
        assert.equal(Date.parse((await webhook.find())?.failing_since ?? ''), began);
        clock.now = began + 5 * 86_400_000;
        await serve();
        const { state, failing_since } = (await webhook.find()) ?? {};
        assert.deepEqual([state, failing_since], ['active', new Date(clock.now).toISOString()]);
    });

    it('gets no more than what is under way, or at its new URL, although many deliveries were due', async () => {
        const [earlier, later] = [newUrl(), newUrl()];
        for (const url of [undefined, later]) {
            const webhook = await newEndpoint();
            await webhook.change('active', earlier);
            await append(webhook.account, 30);
            const urls: string[] = [];
            const answers = Promise.withResolvers<void>();
            const { serve } = open(async (delivery) => {
                if (delivery.url !== earlier && delivery.url !== later) return OK; // of another test
                const place = urls.push(delivery.url);
                if (place === 1 || place > 9) return OK;
                if (place === 9) {
                    await webhook.change(url ? 'active' : 'paused', url);
                    clock.now += 2_000; // the receiver is slow
                    answers.resolve();
                }
                await answers.promise;
                return OK;
            });
            await serve();
            assert.equal(urls.filter((used) => used === earlier).length, 9);
            assert.equal(urls.length, url ? 30 : 9);
        }
    });
});
