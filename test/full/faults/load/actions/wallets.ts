import { randomUUID } from 'node:crypto';
import { type Actor, newPassword, takeAny, type Wallet } from '../actor.ts';
import { isAcknowledged } from '../calls.ts';

/** Number of wallets that a client keeps for later actions. */
const IN_HAND = 3;
/** About the largest number of credentials in one wallet. */
const FULL = 40;

export async function makeWallet(actor: Actor): Promise<void> {
    const name = `wallet ${randomUUID()}`;
    const password = newPassword();
    const request = { method: 'POST', path: '/v1/wallets', token: actor.key.secret, body: { name, password } } as const;
    const outcome = await actor.perform({ kind: 'make-wallet', name, password }, request);
    if (!isAcknowledged(outcome)) return;
    actor.wallets.push({ walletId: String(outcome.data['wallet_id']), password, stored: [] });
    if (actor.wallets.length > IN_HAND) actor.wallets.shift();
}

/** Stores a credential that the client has not stored anywhere yet. */
export async function store(actor: Actor): Promise<void> {
    const wallet = actor.wallets.find(({ stored }) => stored.length < FULL);
    if (!wallet) return makeWallet(actor);
    const credential = takeAny(actor.credentials);
    if (!credential) return;
    const { walletId, password } = wallet;
    const { credentialId, token } = credential;
    const path = `/v1/wallets/${walletId}/credentials`;
    const body = { password, credential: token };
    const request = { method: 'POST', path, token: actor.key.secret, body } as const;
    const outcome = await actor.perform({ kind: 'store', walletId, credentialId, token }, request);
    if (isAcknowledged(outcome)) wallet.stored.push(credentialId);
}

export async function remove(actor: Actor): Promise<void> {
    const wallet = actor.wallets.find(({ stored }) => stored.length > 1);
    if (!wallet) return store(actor);
    await removeAny(actor, wallet);
}

async function removeAny(actor: Actor, { walletId, password, stored }: Wallet): Promise<void> {
    const credentialId = takeAny(stored);
    if (credentialId === undefined) return;
    const path = `/v1/wallets/${walletId}/credentials/${encodeURIComponent(credentialId)}`;
    const request = { method: 'DELETE', path, token: actor.key.secret, body: { password } } as const;
    await actor.perform({ kind: 'remove', walletId, credentialId }, request);
}
