import { randomUUID } from 'node:crypto';
import { expectOk } from './client.ts';

export interface Account {
    user_id: string;
    email: string;
    password: string;
    token: string;
    refresh_token: string;
}

export interface Did {
    did: string;
    public_key: string;
    private_key: string;
}

export interface Issued {
    credential_id: string;
    credential: string;
    issuer: string;
    subject: string;
    issued_at: string;
    expires_at?: string;
}

/** The signed fields of a token. */
export function payloadOf(token: string): Record<string, unknown> {
    const bytes = Buffer.from(token.slice('v4.public.'.length), 'base64url');
    return JSON.parse(bytes.subarray(0, -64).toString('utf8'));
}

export function newEmail(): string {
    return `u-${randomUUID()}@example.com`;
}

/** Registers a new account. */
export async function register(password = 'correct horse battery') {
    const email = newEmail();
    const user = await expectOk(201, {
        method: 'POST',
        path: '/internal/v1/auth/register',
        internal: true,
        body: { email, password },
    });
    return { email, password, user_id: user.user_id as string };
}

/** Opens a session. */
export async function login(account: { email: string; password: string }) {
    const { token, refresh_token } = await expectOk(200, {
        method: 'POST',
        path: '/internal/v1/auth/login',
        body: { email: account.email, password: account.password },
    });
    return { token: token as string, refresh_token: refresh_token as string };
}

/** A new account with a session. */
export async function newAccount(): Promise<Account> {
    const account = await register();
    return { ...account, ...(await login(account)) };
}

/** A new API key of the account. */
export async function newKey(account: Account, tier = 'enterprise'): Promise<{ key_id: string; api_key: string }> {
    return expectOk(201, {
        method: 'POST',
        path: '/v1/keys/generate',
        token: account.token,
        body: { name: 'key', tier },
    });
}

/** A DID whose key pair the service has made. */
export async function newDid(token: string): Promise<Did> {
    return expectOk(201, { method: 'POST', path: '/v1/did', token });
}

export function issueBody(issuer: Did, subject: string, more: Record<string, unknown> = {}) {
    return {
        issuer_did: issuer.did,
        issuer_private_key: issuer.private_key,
        subject_did: subject,
        credential_type: 'EmploymentCredential',
        claims: { role: 'engineer' },
        ...more,
    };
}

/** Issues a credential. */
export async function issue(token: string, issuer: Did, more: Record<string, unknown> = {}): Promise<Issued> {
    const body = issueBody(issuer, 'did:web:subject.example', more);
    return expectOk(201, { method: 'POST', path: '/v1/credentials', token, body });
}

/** Checks a credential under the DID of its issuer. */
export async function verify(token: string, credential: string, issuer_did: string, check_revocation?: boolean) {
    const body = { credential, issuer_did, check_revocation };
    return expectOk(200, { method: 'POST', path: '/v1/credentials/verify', token, body });
}

export function presentationBody(holder: Did, credentials: string[], more: Record<string, unknown> = {}) {
    return {
        holder_did: holder.did,
        holder_private_key: holder.private_key,
        credentials,
        audience: 'did:web:verifier.example',
        ...more,
    };
}

/** Makes a presentation. */
export async function present(token: string, holder: Did, credentials: string[], more: Record<string, unknown> = {}) {
    const body = presentationBody(holder, credentials, more);
    const made = await expectOk(201, { method: 'POST', path: '/v1/presentations', token, body });
    return made as {
        presentation_id: string;
        presentation: string;
        holder: string;
        audience: string;
        created_at: string;
    };
}

export interface Wallet {
    wallet_id: string;
    name: string;
    did: string;
    public_key: string;
    created_at: string;
    password: string;
}

/** Makes a wallet. */
export async function newWallet(token: string, password = 'open sesame'): Promise<Wallet> {
    const body = { name: 'wallet', password };
    return { password, ...(await expectOk(201, { method: 'POST', path: '/v1/wallets', token, body })) };
}

/** Stores a credential in a wallet. */
export async function store(token: string, { wallet_id, password }: Wallet, credential: string, metadata?: unknown) {
    const path = `/v1/wallets/${wallet_id}/credentials`;
    return expectOk(201, { method: 'POST', path, token, body: { password, credential, metadata } });
}
