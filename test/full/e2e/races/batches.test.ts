import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { ITEM } from '../../../e2e/batches/batch.fixture.ts';
import { type Call, expectOk } from '../../../e2e/support/client.ts';
import {
    afterwards,
    type Dice,
    patiently,
    race,
    senderFrom,
    serialOrder,
    together,
} from '../../../e2e/support/races.ts';
import { newAccount, newDid, newKey } from '../../../e2e/support/world.ts';

const LIMIT = 1_000; // of a key of the tier pro, per minute

/** A new account with an API key and an issuer. */
async function batcher(tier: 'pro' | 'enterprise' = 'enterprise') {
    const account = await newAccount();
    const { key_id, api_key } = await newKey(account, tier);
    const issuer = await newDid(account.token);
    const batch = (method: string, body: unknown, headers: Record<string, string> = {}): Call => {
        return { method: 'POST', path: `/v1/credentials/batch/${method}`, token: api_key, headers, body };
    };
    const keyPair = { issuer_did: issuer.did, issuer_private_key: issuer.private_key };
    return {
        account,
        key_id,
        batch,
        issuer_did: issuer.did,
        issueOf: (items: number, headers?: Record<string, string>) =>
            batch('issue', { ...keyPair, items: Array(items).fill(ITEM) }, headers),
        /** The number of credentials of the issuer. */
        async issued(): Promise<number> {
            const path = `/v1/credentials/by-issuer/${issuer.did}`;
            return (await expectOk(200, { path, token: account.token })).total;
        },
    };
}

/** Returns the items in a random order. */
function shuffled<Item>(items: readonly Item[], dice: Dice): Item[] {
    return items
        .map((item) => ({ item, at: dice.number(2 ** 31) }))
        .sort((one, other) => one.at - other.at)
        .map(({ item }) => item);
}

race('callers with one Idempotency-Key issue each item of a batch once', 6, async (callers, dice) => {
    const { issueOf, issued } = await batcher();
    const call = issueOf(5, { 'idempotency-key': randomUUID() });
    const made = await together(Array(callers).fill(call), dice);
    const texts = new Set(made.map(({ answer }) => `${answer.status} ${answer.text}`));
    assert.equal(texts.size, 1, [...texts].join('\n'));
    const { results, total_succeeded } = made[0]?.answer.data ?? assert.fail('There was no caller.');
    assert.equal(total_succeeded, 5);
    assert.equal(new Set(results.map((result: { credential_id: string }) => result.credential_id)).size, 5);
    assert.equal(await issued(), 5);
});

race('batches that revoke the same credentials all answer the first revocation', 15, async (callers, dice) => {
    const { batch, issueOf, issuer_did } = await batcher();
    const { results } = await expectOk(200, issueOf(5));
    const ids: string[] = results.map(({ credential_id }: { credential_id: string }) => credential_id);
    const revocations = Array.from({ length: callers }, (_, index) => {
        const items = shuffled(ids, dice).map((credentialId) => ({ credential_id: credentialId }));
        return batch('revoke', { issuer_did, reason: `of caller ${index}`, items });
    });
    const made = await together(revocations, dice, patiently);
    const asked = await afterwards(batch('status', { credential_ids: ids }), dice);
    const kept = new Map<string, string>();
    for (const { call, answer } of [asked, ...made]) {
        assert.equal(answer.status, 200, answer.text);
        for (const { credential_id, revoked_at, reason, ok } of answer.data.results) {
            assert.ok(ok, answer.text);
            const seen = `${revoked_at} ${reason}`;
            assert.equal(kept.get(credential_id) ?? seen, seen, `${call.path} of ${credential_id}`);
            kept.set(credential_id, seen);
        }
    }
    assert.equal(kept.size, ids.length);
});

race('a batch is issued as a whole or not at all while its key is revoked', 6, async (callers, dice) => {
    const { account, key_id, issueOf, issued } = await batcher();
    const revoke: Call = { method: 'DELETE', path: `/v1/keys/${key_id}`, token: account.token };
    const made = await together([...Array(callers).fill(issueOf(3)), revoke], dice, senderFrom(dice));
    const alive = serialOrder(made, true, (isAlive, { call, answer }) => {
        if (call === revoke) return answer.status === 200 ? false : undefined;
        return answer.status === (isAlive ? 200 : 401) ? isAlive : undefined;
    });
    assert.equal(alive, false);
    const answered = made.filter(({ call, answer }) => call !== revoke && answer.status === 200);
    assert.ok(answered.every(({ answer }) => answer.data.total_succeeded === 3));
    assert.equal(await issued(), 3 * answered.length);
});

race('batches of all sizes use a limit up exactly', 6, async (callers, dice) => {
    const { batch } = await batcher('pro');
    const sizes = Array.from({ length: callers }, () => 1 + dice.number(Math.ceil((3 * LIMIT) / callers)));
    const calls = sizes.map((size) => batch('status', { credential_ids: Array(Math.min(size, LIMIT)).fill('x') }));
    const made = await together(calls, dice);
    const sizeOf = ({ call }: { call: Call }) => (call.body as { credential_ids: string[] }).credential_ids.length;
    const admitted = made.filter(({ answer }) => answer.status === 200);
    const refused = made.filter(({ answer }) => answer.status === 429);
    assert.equal(admitted.length + refused.length, made.length);
    const used = admitted.reduce((sum, one) => sum + sizeOf(one), 0);
    assert.ok(used <= LIMIT, `${used} items were admitted`);
    // The first item of a refused batch may be counted too. Even then, no refused batch would have fitted.
    for (const one of refused) assert.ok(used + refused.length + sizeOf(one) > LIMIT, `${used} and ${sizeOf(one)}`);
});
