import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RATE_LIMITS } from '../../../proto/tiers.ts';
import { type Answer, type Call, expectError, expectOk, send } from '../support/client.ts';
import { database } from '../support/database.ts';
import { counted } from '../support/usage.ts';
import { issueBody, newAccount, newDid, newKey } from '../support/world.ts';

const db = await database('usage');
const { free: FREE, basic: BASIC } = RATE_LIMITS;

const remaining = (answer: Answer): number => Number(answer.headers.get('x-ratelimit-remaining'));
const status = (token: string, items: number, gateway = 0): Call => ({
    method: 'POST',
    path: '/v1/credentials/batch/status',
    token,
    gateway,
    body: { credential_ids: Array(items).fill('x') },
});

describe('the items of a batch', () => {
    it('count as requests, as the headers show and the statistics say', async () => {
        const account = await newAccount();
        const { api_key } = await newKey(account, 'basic');
        for (const [items, left] of [
            [1, BASIC - 1],
            [9, BASIC - 10],
            [BASIC - 40, 30],
            [30, 0],
        ] as const) {
            assert.equal(remaining(await send(status(api_key, items))), left);
        }
        await expectError(429, status(api_key, 1));
        await counted(db, account, 'requests', BASIC + 1); // one of the session: it created the key
        await counted(db, account, 'rate_limit_hits', 1);
    });

    it('are all refused if they exceed what is left: 429, and nothing is done', async () => {
        const account = await newAccount();
        const { api_key } = await newKey(account, 'free');
        const { issuer_did, issuer_private_key, ...item } = issueBody(await newDid(account.token), 'did:web:x.example');
        const issue = (items: number): Call => ({
            method: 'POST',
            path: '/v1/credentials/batch/issue',
            token: api_key,
            body: { issuer_did, issuer_private_key, items: Array(items).fill(item) },
        });
        await expectOk(200, issue(4));
        const refused = await expectError(429, issue(FREE - 3));
        assert.equal(refused.headers.get('x-error-code'), 'rate_limited');
        const wait = Number(refused.headers.get('retry-after'));
        assert.ok(wait >= 1 && wait <= 60);
        assert.equal(remaining(refused), FREE - 5, 'the first item stays counted');
        const listed = async () => {
            const { total } = await expectOk(200, {
                path: `/v1/credentials/by-issuer/${issuer_did}`,
                token: account.token,
            });
            return total;
        };
        assert.equal(await listed(), 4);
        assert.equal(remaining(await send(issue(FREE - 5))), 0);
        assert.equal(await listed(), FREE - 1);
    });

    it('are refused with 400 if they exceed the limit itself, which tells how many may be sent', async () => {
        const account = await newAccount();
        const { api_key } = await newKey(account, 'free');
        const refused = await expectError(400, status(api_key, FREE + 1));
        assert.equal(refused.body.error, `A key of this tier may send ${FREE} items at once.`);
        assert.equal(remaining(refused), FREE - 1);
        assert.equal(remaining(await send(status(api_key, FREE - 1))), 0);
        const bySession = await expectError(400, status(account.token, 601));
        assert.equal(bySession.body.error, 'A session of this tier may send 600 items at once.');
        await expectOk(200, status(account.token, 598));
    });

    it('are counted before anything else about them is checked, also those that fail', async () => {
        const { api_key } = await newKey(await newAccount(), 'free');
        const bad = { ...status(api_key, 0), body: { credential_ids: [1, null, {}, 'x'] } };
        assert.equal(remaining(await send(bad)), FREE - 4);
        assert.equal(remaining(await expectError(400, { ...bad, body: { credential_ids: [] } })), FREE - 5);
        assert.equal(remaining(await expectError(400, { ...bad, body: '{' })), FREE - 6);
    });

    it('are counted exactly by two gateways at once', async () => {
        const { api_key } = await newKey(await newAccount(), 'pro');
        // Eleven of twenty batches fit. Each of the others counts as one request, because its first item is counted
        // before its body is read.
        const items = Math.floor((RATE_LIMITS.pro - 9) / 11);
        const answers = await Promise.all(
            Array.from({ length: 20 }, (_, index) => send(status(api_key, items, index % 2))),
        );
        assert.equal(answers.filter((answer) => answer.status === 200).length, 11);
        assert.equal(answers.filter((answer) => answer.status === 429).length, 9);
        assert.equal(remaining(await send(status(api_key, 1))), RATE_LIMITS.pro - 11 * items - 10);
    });
});
