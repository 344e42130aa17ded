import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type {
    CredentialsIssueData,
    CredentialsIssueInput,
    CredentialsVerifyData,
    KeysGenerateInput,
    PresentationsCreateData,
    PresentationsCreateInput,
    WalletsAddCredentialData,
    WalletsCreateData,
} from '../../../client/src/client.ts';
import { service } from './client.ts';

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

/** Who signs: with a private key that the caller has or, without one, a managed issuer. */
export type Signer = Pick<Did, 'did'> & Partial<Did>;

export type Issued = CredentialsIssueData;

/** Returns the payload of a token without verifying it. */
export function payloadOf(token: string): Record<string, unknown> {
    const bytes = Buffer.from(token.slice('v4.public.'.length), 'base64url');
    return JSON.parse(bytes.subarray(0, -64).toString('utf8'));
}

export function newEmail(): string {
    return `u-${randomUUID()}@example.com`;
}

/** Registers a new account. */
export async function register(password = 'correct horse battery') {
    const { email, user_id } = await service.internal.auth.register({ email: newEmail(), password });
    return { email, password, user_id };
}

/** Logs in and returns the tokens of the new session. */
export async function login({ email, password }: { email: string; password: string }) {
    const { token, refresh_token } = await service.internal.auth.login({ email, password });
    return { token, refresh_token };
}

/** A new account with a session. */
export async function newAccount(): Promise<Account> {
    const account = await register();
    return { ...account, ...(await login(account)) };
}

/** A new API key of the account. */
export async function newKey({ token }: Account, tier: KeysGenerateInput['tier'] = 'enterprise') {
    return service.as({ token }).keys.generate({ name: 'key', tier });
}

/** A new DID with a key pair made by the service. */
export async function newDid(token: string): Promise<Did> {
    const { private_key, ...did } = await service.as({ token }).did.create();
    assert.ok(private_key);
    return { ...did, private_key };
}

/** A managed issuer of an account, with a token of that account. */
export async function aManagedIssuer({ token = '', method = 'web' as 'key' | 'web' } = {}) {
    const owner = token === '' ? await aKey() : token;
    return { token: owner, ...(await service.as({ token: owner }).issuers.create({ name: 'Registrar', method })) };
}

/** Returns the body of a request to issue a credential. `more` overrides fields, also with invalid values. */
export function issueBody(issuer: Signer, subject: string, more: Record<string, unknown> = {}) {
    return {
        issuer_did: issuer.did,
        ...(issuer.private_key !== undefined && { issuer_private_key: issuer.private_key }),
        subject_did: subject,
        credential_type: 'EmploymentCredential',
        claims: { role: 'engineer' },
        ...more,
    };
}

/** Issues a credential. */
export async function issue(token: string, issuer: Signer, more: Partial<CredentialsIssueInput> = {}): Promise<Issued> {
    return service.as({ token }).credentials.issue({ ...issueBody(issuer, 'did:web:subject.example'), ...more });
}

/** Verifies a credential of the issuer `issuerDid`. */
export async function verify(
    token: string,
    credential: string,
    issuerDid: string,
    checkRevocation?: boolean,
): Promise<CredentialsVerifyData> {
    return service
        .as({ token })
        .credentials.verify({ credential, issuer_did: issuerDid, check_revocation: checkRevocation });
}

/** Returns the body of a request to create a presentation. `more` overrides fields, also with invalid values. */
export function presentationBody(holder: Signer, credentials: string[], more: Record<string, unknown> = {}) {
    return {
        holder_did: holder.did,
        ...(holder.private_key !== undefined && { holder_private_key: holder.private_key }),
        credentials,
        audience: 'did:web:verifier.example',
        ...more,
    };
}

/** Creates a presentation. */
export async function present(
    token: string,
    holder: Signer,
    credentials: string[],
    more: Partial<PresentationsCreateInput> = {},
): Promise<PresentationsCreateData> {
    return service.as({ token }).presentations.create({ ...presentationBody(holder, credentials), ...more });
}

export interface Wallet extends WalletsCreateData {
    password: string;
}

/** Creates a wallet. */
export async function newWallet(token: string, password = 'open sesame'): Promise<Wallet> {
    return { password, ...(await service.as({ token }).wallets.create({ name: 'wallet', password })) };
}

/** Stores a credential in a wallet. */
export async function store(
    token: string,
    { wallet_id, password }: Wallet,
    credential: string,
    metadata?: Record<string, unknown>,
): Promise<WalletsAddCredentialData> {
    return service.as({ token }).wallets.addCredential({ wallet_id, password, credential, metadata });
}

/** An API key of a new account. */
export async function aKey(): Promise<string> {
    return (await newKey(await newAccount())).api_key;
}

/** Creates an account with an API key. Returns the session token and the id of the key. */
export async function anAccountWithKey() {
    const account = await newAccount();
    return { token: account.token, key_id: (await newKey(account)).key_id };
}

/** The id of the status list that names a new credential. */
export async function aStatusList(): Promise<string> {
    const token = await aKey();
    const { status } = await issue(token, await newDid(token), { status_list: true });
    return status?.status_list.uri.split('/').at(-1) ?? assert.fail('the credential has no place');
}

/** A new credential, and the API key that issued it. */
export async function anIssued() {
    const token = await aKey();
    return { token, ...(await issue(token, await newDid(token))) };
}

/** A new wallet with a credential in it. */
export async function aFilledWallet() {
    const { token, credential, credential_id } = await anIssued();
    const wallet = await newWallet(token);
    await store(token, wallet, credential, { folder: 'work' });
    return { token, credential_id, ...wallet };
}
