import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Bearer } from '../../gateway/auth.ts';
import type { Limiter } from '../../gateway/limit.ts';
import { liveBearers } from '../../gateway/live.ts';
import { quiet, testContext } from '../harness.ts';

it('what an owner said more than a minute ago counts no more, though another gateway keeps the mark alive', async (t) => {
    let now = 1_000;
    t.mock.method(performance, 'now', () => now);
    const admitted = { state: 'admitted', limit: 1, remaining: 1, reset: 1, wait: 1 } as const;
    const limiter = { take: async () => admitted } as unknown as Limiter; // which finds the mark: nothing else is called
    let tier = 'enterprise';
    const bearer = {
        kind: 'key',
        id: 'a',
        ask: async () => ({ principal: { user_id: 'u', tier }, claim: { bucket: 'b', mark: 'm', tag: 't', limit: 1 } }),
    } as Bearer;
    const takeLive = liveBearers({ limiter, log: quiet });
    const tierSeen = async () => (await takeLive(bearer, testContext()))?.principal.tier;
    assert.equal(await tierSeen(), 'enterprise');
    tier = 'free';
    now += 30_000;
    assert.equal(await tierSeen(), 'enterprise', 'it is remembered meanwhile');
    now += 31_000;
    assert.equal(await tierSeen(), 'free');
});
