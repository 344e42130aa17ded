import { randomBytes, randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Data, Outcome, Request, Send } from './calls.ts';
import { isAcknowledged } from './calls.ts';
import type { Intent, Journal } from './journal.ts';

/** Part of every password of the load, so that a leaked password can be found. */
export const PASSWORD_MARK = 'pass-phrase-of-the-journal';

export interface Session {
    /** Name of the session in the journal. */
    name: string;
    token: string;
    refreshToken: string;
}

interface ApiKey {
    keyId: string;
    secret: string;
}

export interface Wallet {
    walletId: string;
    password: string;
    stored: string[];
}

/** One client with its own account, and the objects that it certainly has. It makes one call after the other. */
export interface Actor {
    index: number;
    userId: string;
    email: string;
    /** Undefined after a change that was not acknowledged. */
    password: string | undefined;
    /** The session that is never ended. */
    token: string;
    /** The key that is never revoked. */
    key: ApiKey;
    did: string;
    privateKey: string;
    sessions: Session[];
    keys: ApiKey[];
    credentials: Array<{ credentialId: string; token: string }>;
    wallets: Wallet[];
    /** Journals the intent, sends the request to one of the gateways, and journals the outcome. */
    perform(intent: Intent, request: Request, gateway?: number): Promise<Outcome>;
}

interface ActorOptions {
    index: number;
    send: Send;
    gateways: number;
    journal: Journal;
}

/** Wait of a client after a call that was not acknowledged, in milliseconds. */
const SETBACK_MS = 100;

/** Creates an account with a session, a key and a DID. Throws if the service refuses a call. */
export async function newActor({ index, send, gateways, journal }: ActorOptions): Promise<Actor> {
    const email = `actor-${index}-${randomBytes(6).toString('hex')}@faults.example`;
    const password = newPassword();
    const ask = (request: Request): Promise<Data> => expectData(send, request);
    const users = [{ email, password, tier: 'enterprise', name: 'actor' }];
    const path = '/internal/v1/admin/users/batch';
    const { created } = await ask({ method: 'POST', path, internal: true, body: { users } });
    const [{ user_id }] = created as [{ user_id: string }]; // one user was requested
    const login = await ask({ method: 'POST', path: '/internal/v1/auth/login', body: { email, password } });
    const token = String(login['token']);
    const body = { name: 'main', tier: 'enterprise' };
    const key = await ask({ method: 'POST', path: '/v1/keys/generate', token, body });
    const secret = String(key['api_key']);
    const did = await ask({ method: 'POST', path: '/v1/did', token: secret, body: {} });
    return {
        index,
        userId: user_id,
        email,
        password,
        token,
        key: { keyId: String(key['key_id']), secret },
        did: String(did['did']),
        privateKey: String(did['private_key']),
        sessions: [],
        keys: [],
        credentials: [],
        wallets: [],
        async perform(intent, request, gateway = randomInt(gateways)) {
            const outcome = await journal.perform({ actor: index, gateway, intent, request, send });
            if (!isAcknowledged(outcome) && !intent.kind.startsWith('use-')) await delay(SETBACK_MS);
            return outcome;
        },
    };
}

export function newPassword(): string {
    return `${PASSWORD_MARK}-${randomBytes(6).toString('hex')}`;
}

/** Sends a request that must succeed. Returns its data. */
export async function expectData(send: Send, request: Request, gateway = 0): Promise<Data> {
    const outcome = await send(gateway, request);
    if (isAcknowledged(outcome)) return outcome.data;
    throw new Error(`${request.method} ${request.path}: ${JSON.stringify(outcome)}`);
}

/** Removes a random item from the list and returns it. Returns undefined if the list is empty. */
export function takeAny<Item>(items: Item[]): Item | undefined {
    return items.splice(randomInt(Math.max(items.length, 1)), 1)[0];
}
