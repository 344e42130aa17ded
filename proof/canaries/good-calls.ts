import { createPrivateKey } from 'node:crypto';
import { type Call, expectError, expectOk } from '../../test/e2e/support/client.ts';
import { newEmail } from '../../test/e2e/support/world.ts';
import { encodeDidKey } from '../../workers/crypto/did-key.ts';
import { type PublicKey, publicKeyOf, type Seed, secretKeyBytes } from '../../workers/crypto/ed25519.ts';
import type { Canaries } from './canary.ts';
import { livedExports, livedImport, livedWebhook } from './event-calls.ts';
import { livedIssuers } from './issuer-calls.ts';
import { post, twice } from './posts.ts';

/** Who has a session and an API key. */
export interface Person {
    email: string;
    password: string;
    session: string;
    api_key: string;
}

const asTrusted = { internal: true } as const;

/** Makes every kind of good call, and what is refused for a wrong secret alone, with a canary for each secret. */
export async function callWell(canaries: Canaries): Promise<Person> {
    const person = await livedSession(canaries);
    await livedKeys(person, canaries);
    for (const caller of [{ token: person.session }, { token: person.api_key }, asTrusted]) {
        const prefix = caller === asTrusted ? '/internal/v1' : '/v1';
        const issued = await livedCredentials(prefix, caller, canaries);
        await livedWallet(prefix, caller, issued, canaries);
        if (caller !== asTrusted) await livedIssuers(caller, canaries);
    }
    await livedBatch(canaries);
    await livedWebhook({ token: person.api_key }, canaries);
    await livedImport(canaries);
    await livedExports({ token: person.session }, canaries);
    return person;
}

/** Notes the parts of a token that only its owner has: what it is signed with, and, to be sure, all of it. */
function noteToken(canaries: Canaries, label: string, token: string): string {
    canaries.known(`signature of ${label}`, Buffer.from(token.split('.').at(-1) ?? '', 'base64url'));
    return canaries.known(label, token);
}

async function livedSession(canaries: Canaries): Promise<Person> {
    const email = newEmail();
    const first = canaries.text('password at registration');
    await twice(201, post('/internal/v1/auth/register', { email, password: first, name: 'Ada' }, asTrusted), canaries);
    await expectError(409, post('/internal/v1/auth/register', { email, password: first }, asTrusted));
    const wrong = canaries.text('wrong password at login');
    await expectError(401, post('/internal/v1/auth/login', { email, password: wrong }));
    const login = async (password: string, label: string) => {
        const { token, refresh_token } = await expectOk(200, post('/internal/v1/auth/login', { email, password }));
        noteToken(canaries, `refresh token ${label}`, refresh_token);
        return { token: noteToken(canaries, `session token ${label}`, token), refresh_token };
    };
    const { token, refresh_token } = await login(first, 'of the first session');
    const changed = canaries.text('new password');
    const change = { current_password: canaries.text('wrong current password'), new_password: changed };
    await expectError(401, post('/v1/me/password', change, { token }));
    await expectOk(200, post('/v1/me/password', { ...change, current_password: first }, { token }));
    await expectOk(200, { path: '/internal/v1/auth/me', token, ...asTrusted });
    const refreshed = await expectOk(200, post('/internal/v1/auth/refresh', { refresh_token }, asTrusted));
    noteToken(canaries, 'refreshed session token', refreshed.token);
    noteToken(canaries, 'refresh token after a refresh', refreshed.refresh_token);
    await expectOk(200, { path: '/v1/me', token: refreshed.token });
    await expectOk(200, post('/internal/v1/auth/logout', { token: refreshed.token }, asTrusted));
    await expectError(401, { path: '/v1/me', token: refreshed.token });
    const { token: session } = await login(changed, 'of the session that stays');
    await expectOk(200, { path: '/v1/me', token: session });
    return { email, password: changed, session, api_key: '' };
}

async function livedKeys(person: Person, canaries: Canaries): Promise<void> {
    const generate = async (label: string) => {
        const body = { name: 'key', tier: 'enterprise' };
        const made = await twice(201, post('/v1/keys/generate', body, { token: person.session }), canaries);
        canaries.known(`body of the ${label}`, made.api_key.split('_').at(-1));
        return { ...made, api_key: canaries.known<string>(label, made.api_key) };
    };
    const { api_key, key_id } = await generate('revoked API key');
    await expectOk(201, { method: 'POST', path: '/v1/did', token: api_key });
    await expectOk(200, { method: 'DELETE', path: `/v1/keys/${key_id}`, token: person.session });
    await expectError(401, { method: 'POST', path: '/v1/did', token: api_key });
    person.api_key = (await generate('API key')).api_key;
}

function newSigner(canaries: Canaries, label: string, form: 'seed' | 'pair') {
    const seed = canaries.bytes(label) as Uint8Array as Seed; // 32 bytes
    const publicKey: PublicKey = publicKeyOf(seed);
    const bytes = form === 'seed' ? seed : secretKeyBytes(seed, publicKey);
    return { did: encodeDidKey(publicKey), private_key: Buffer.from(bytes).toString('base64') };
}

/** Gives the credential that it has issued. */
async function livedCredentials(prefix: string, caller: Partial<Call>, canaries: Canaries): Promise<string> {
    const { private_key } = await twice(201, post(`${prefix}/did`, {}, caller), canaries);
    canaries.known('generated private key', Buffer.from(private_key, 'base64').subarray(0, 32));
    const issuer = newSigner(canaries, 'private key of the issuer', 'seed');
    const holder = newSigner(canaries, 'private key of the holder', 'pair');
    const body = {
        issuer_did: issuer.did,
        issuer_private_key: issuer.private_key,
        subject_did: 'did:web:subject.example',
        credential_type: 'EmploymentCredential',
        claims: { [canaries.text('name of a claim')]: [{ role: canaries.text('claim') }] },
    };
    const { credential, credential_id } = await twice(201, post(`${prefix}/credentials`, body, caller), canaries);
    const otherSigner = newSigner(canaries, 'private key of somebody else', 'pair');
    const mismatched = { ...body, issuer_private_key: otherSigner.private_key };
    await expectError(400, post(`${prefix}/credentials`, mismatched, caller));
    const check = { credential, issuer_did: issuer.did, check_revocation: true };
    await expectOk(200, post(`${prefix}/credentials/verify`, check, caller));
    await expectOk(200, post(`${prefix}/credentials/verify`, { ...check, issuer_did: holder.did }, caller));
    const presentation = {
        holder_did: holder.did,
        holder_private_key: holder.private_key,
        credentials: [credential],
        audience: 'did:web:verifier.example',
        nonce: canaries.text('nonce'),
        domain: canaries.text('domain'),
    };
    const made = await twice(201, post(`${prefix}/presentations`, presentation, caller), canaries);
    const { audience, nonce } = presentation;
    const shown = { presentation: made.presentation, audience, nonce };
    await expectOk(200, post(`${prefix}/presentations/verify`, shown, caller));
    const otherwise = { ...shown, nonce: canaries.text('wrong nonce') };
    await expectOk(200, post(`${prefix}/presentations/verify`, otherwise, caller));
    const reason = canaries.text('reason of a revocation', ['database']);
    const revoke = `${prefix}/credentials/revoke/${credential_id}`;
    await expectOk(200, post(revoke, { issuer_did: issuer.did, reason }, caller));
    return credential;
}

async function livedWallet(prefix: string, caller: Partial<Call>, credential: string, canaries: Canaries) {
    const password = canaries.text('password of a wallet');
    const name = canaries.text('name of a wallet');
    const description = canaries.text('description of a wallet');
    const { wallet_id } = await twice(
        201,
        post(`${prefix}/wallets`, { name, password, description }, caller),
        canaries,
    );
    const opened = await expectOk(200, post(`${prefix}/wallets/open`, { wallet_id, password }, caller));
    canaries.known('private key of a wallet', Buffer.from(opened.private_key, 'base64').subarray(0, 32));
    const wrong = (): string => canaries.text('wrong password of a wallet');
    await expectError(401, post(`${prefix}/wallets/open`, { wallet_id, password: wrong() }, caller));
    if (prefix !== '/v1') return;
    const entries = `/v1/wallets/${wallet_id}/credentials`;
    const metadata = { [canaries.text('name in metadata')]: canaries.text('metadata') };
    const { credential_id } = await twice(201, post(entries, { password, credential, metadata }, caller), canaries);
    await expectError(401, post(entries, { password: wrong(), credential }, caller));
    const inHeader = (secret: string) => ({ headers: { 'X-Wallet-Password': secret } });
    await expectOk(200, { path: `${entries}?password=${password}`, ...caller });
    await expectOk(200, { path: entries, ...caller, ...inHeader(password) });
    await expectError(401, { path: `${entries}?password=${wrong()}`, ...caller });
    await expectError(401, { path: entries, ...caller, ...inHeader(wrong()) });
    await expectError(400, { path: `${entries}?password=${wrong()}`, ...caller, ...inHeader(wrong()) });
    const entry = { method: 'DELETE', path: `${entries}/${encodeURIComponent(credential_id)}`, ...caller };
    await expectError(401, { ...entry, body: { password: wrong() } });
    await expectOk(200, { ...entry, body: { password } });
    await expectOk(201, post(entries, { password, credential, metadata }, caller));
    await expectOk(200, { ...entry, ...inHeader(password) });
}

async function livedBatch(canaries: Canaries): Promise<void> {
    const user = (email: string) => ({ email, password: canaries.text('password in a batch') });
    const users = [user(newEmail()), user('nobody'), { ...user(newEmail()), tier: 'none' }];
    await twice(200, post('/internal/v1/admin/users/batch', { users }, asTrusted), canaries);
}

/** The secrets of the processes themselves. Each needs them for as long as it runs, so its memory holds them. */
export function noteOwnSecrets(canaries: Canaries, env: Record<string, string>): void {
    for (const name of [
        'E2E_INTERNAL_SECRET',
        'E2E_SERVICE_TOKEN',
        'E2E_IDEMPOTENCY_PEPPER',
        'TEST_DATABASE_PASSWORD',
    ]) {
        canaries.known(name, env[name] as string, ['heap']); // test/support/service.ts and the caller give them all
    }
    canaries.known('token of a foreign service', env['E2E_READER_TOKEN'] as string); // the processes have its hash
    const key = createPrivateKey(env['E2E_JWT_KEYS'] as string); // likewise
    const { d = '' } = key.export({ format: 'jwk' });
    canaries.known('key that signs session tokens', Buffer.from(d, 'base64url'), ['heap']);
}
