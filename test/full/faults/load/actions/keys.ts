import { randomUUID } from 'node:crypto';
import { type Actor, takeAny } from '../actor.ts';
import { isAcknowledged } from '../calls.ts';

/** Number of keys that a client keeps for later actions. */
const IN_HAND = 5;
/** Largest number of times that a client repeats a revocation that was not acknowledged. */
const REPEATS = 3;

export async function makeKey(actor: Actor): Promise<void> {
    const name = `key ${randomUUID()}`;
    const body = { name, tier: 'enterprise' };
    const request = { method: 'POST', path: '/v1/keys/generate', token: actor.token, body } as const;
    const outcome = await actor.perform({ kind: 'make-key', name }, request);
    if (!isAcknowledged(outcome) || actor.keys.length >= IN_HAND) return;
    actor.keys.push({ keyId: String(outcome.data['key_id']), secret: String(outcome.data['api_key']) });
}

/** Revokes a key, and uses it at once on every gateway, which must refuse it. */
export async function revokeKey(actor: Actor): Promise<void> {
    const key = takeAny(actor.keys);
    if (!key) return makeKey(actor);
    const { keyId, secret: token } = key;
    const path = `/v1/keys/${keyId}`;
    for (let turn = 0; turn <= REPEATS; turn++) {
        const request = { method: 'DELETE', path, token: actor.token } as const;
        if (!isAcknowledged(await actor.perform({ kind: 'revoke-key', keyId }, request))) continue;
        for (const gateway of [0, 1]) {
            const use = { method: 'GET', path: `/v1/did/${actor.did}`, token } as const;
            await actor.perform({ kind: 'use-revoked-key', keyId }, use, gateway);
        }
        return;
    }
}
