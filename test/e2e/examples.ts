import type { EndpointId } from '../../gateway/endpoints/index.ts';
import type { Call } from './client.ts';
import {
    issue,
    issueBody,
    newAccount,
    newDid,
    newEmail,
    newKey,
    newWallet,
    present,
    presentationBody,
    register,
    store,
} from './world.ts';

/** One working request for every endpoint: an endpoint without one does not compile. */
export const examples: Record<EndpointId, () => Promise<Call>> = {
    'keys.generate': async () => {
        const { token } = await newAccount();
        return { method: 'POST', path: '/v1/keys/generate', token, body: { name: 'build server' } };
    },
    'keys.list': async () => {
        const account = await newAccount();
        await newKey(account);
        return { path: '/v1/keys', token: account.token };
    },
    'keys.get': async () => {
        const account = await newAccount();
        const { key_id } = await newKey(account);
        return { path: `/v1/keys/${key_id}`, token: account.token };
    },
    'keys.revoke': async () => {
        const account = await newAccount();
        const { key_id } = await newKey(account);
        return { method: 'DELETE', path: `/v1/keys/${key_id}`, token: account.token };
    },
    'keys.rename': async () => {
        const account = await newAccount();
        const { key_id } = await newKey(account);
        return { method: 'PATCH', path: `/v1/keys/${key_id}`, token: account.token, body: { name: 'renamed' } };
    },

    'did.create': async () => ({ method: 'POST', path: '/v1/did', token: await aKey() }),
    'did.resolve': async () => {
        const token = await aKey();
        const { did } = await newDid(token);
        return { path: `/v1/did/${encodeURIComponent(did)}`, token };
    },
    'did.document': async () => {
        const token = await aKey();
        const { did } = await newDid(token);
        return { path: `/v1/did/${did}/document`, token };
    },

    'credentials.issue': async () => {
        const token = await aKey();
        const body = issueBody(await newDid(token), 'did:web:subject.example', { expiration_date: '2030-01-01' });
        return { method: 'POST', path: '/v1/credentials', token, body };
    },
    'credentials.verify': async () => {
        const { token, credential, issuer } = await anIssued();
        const body = { credential, issuer_did: issuer, check_revocation: true };
        return { method: 'POST', path: '/v1/credentials/verify', token, body };
    },
    'credentials.revoke': async () => {
        const { token, credential_id, issuer } = await anIssued();
        const body = { issuer_did: issuer, reason: 'left the company' };
        return { method: 'POST', path: `/v1/credentials/revoke/${credential_id}`, token, body };
    },
    'credentials.status': async () => {
        const { token, credential_id } = await anIssued();
        return { path: `/v1/credentials/status/${encodeURIComponent(credential_id)}`, token };
    },
    'credentials.by_issuer': async () => {
        const { token, issuer } = await anIssued();
        return { path: `/v1/credentials/by-issuer/${encodeURIComponent(issuer)}`, token };
    },
    'credentials.by_subject': async () => {
        const { token, subject } = await anIssued();
        return { path: `/v1/credentials/by-subject/${encodeURIComponent(subject)}`, token };
    },

    'presentations.create': async () => {
        const { token, credential } = await anIssued();
        const body = presentationBody(await newDid(token), [credential], {
            nonce: 'n-0S6_WzA2Mj',
            domain: 'shop.example',
        });
        return { method: 'POST', path: '/v1/presentations', token, body };
    },
    'presentations.verify': async () => {
        const { token, credential } = await anIssued();
        const nonce = 'n-0S6_WzA2Mj';
        const { presentation, audience } = await present(token, await newDid(token), [credential], { nonce });
        const body = { presentation, audience, nonce, check_revocation: true };
        return { method: 'POST', path: '/v1/presentations/verify', token, body };
    },

    'wallets.create': async () => {
        const body = { name: 'private', password: 'open sesame', description: 'diplomas' };
        return { method: 'POST', path: '/v1/wallets', token: await aKey(), body };
    },
    'wallets.open': async () => {
        const { token, wallet_id, password } = await aFilledWallet();
        return { method: 'POST', path: '/v1/wallets/open', token, body: { wallet_id, password } };
    },
    'wallets.add_credential': async () => {
        const { token, credential } = await anIssued();
        const { wallet_id, password } = await newWallet(token);
        const body = { password, credential, metadata: { folder: 'work' } };
        return { method: 'POST', path: `/v1/wallets/${wallet_id}/credentials`, token, body };
    },
    'wallets.list_credentials': async () => {
        const { token, wallet_id, password } = await aFilledWallet();
        const query = new URLSearchParams({ password });
        return { path: `/v1/wallets/${wallet_id}/credentials?${query}`, token };
    },
    'wallets.delete_credential': async () => {
        const { token, wallet_id, password, credential_id } = await aFilledWallet();
        const path = `/v1/wallets/${wallet_id}/credentials/${encodeURIComponent(credential_id)}`;
        return { method: 'DELETE', path, token, body: { password } };
    },

    'me.get': async () => ({ path: '/v1/me', token: (await newAccount()).token }),
    'me.update': async () => {
        const { token } = await newAccount();
        return { method: 'PATCH', path: '/v1/me', token, body: { name: 'Grace', email: newEmail() } };
    },
    'me.change_password': async () => {
        const { token, password } = await newAccount();
        const body = { current_password: password, new_password: `${password} staple` };
        return { method: 'POST', path: '/v1/me/password', token, body };
    },

    'me.stats': async () => ({ path: '/v1/me/stats', token: (await newAccount()).token }),
    'internal.admin.stats': async () => ({ path: '/internal/v1/admin/stats', internal: true }),

    'internal.auth.register': async () => ({
        method: 'POST',
        path: '/internal/v1/auth/register',
        internal: true,
        body: { email: newEmail(), password: 'correct horse battery', name: 'Ada' },
    }),
    'internal.auth.login': async () => {
        const { email, password } = await register();
        return { method: 'POST', path: '/internal/v1/auth/login', body: { email, password } };
    },
    'internal.auth.logout': async () => {
        const { token } = await newAccount();
        return { method: 'POST', path: '/internal/v1/auth/logout', internal: true, body: { token } };
    },
    'internal.auth.refresh': async () => {
        const { refresh_token } = await newAccount();
        return { method: 'POST', path: '/internal/v1/auth/refresh', internal: true, body: { refresh_token } };
    },
    'internal.auth.me': async () => {
        const { token } = await newAccount();
        return { path: '/internal/v1/auth/me', internal: true, token };
    },
    'internal.admin.create_users': async () => ({
        method: 'POST',
        path: '/internal/v1/admin/users/batch',
        internal: true,
        body: { users: [{ email: newEmail(), password: 'correct horse battery', tier: 'pro' }, { email: 'nobody' }] },
    }),
    'internal.did.create': () => twinOf('did.create'),
    'internal.did.resolve': () => twinOf('did.resolve'),
    'internal.credentials.issue': () => twinOf('credentials.issue'),
    'internal.credentials.verify': () => twinOf('credentials.verify'),
    'internal.credentials.revoke': () => twinOf('credentials.revoke'),
    'internal.presentations.create': () => twinOf('presentations.create'),
    'internal.presentations.verify': () => twinOf('presentations.verify'),
    'internal.wallets.create': () => twinOf('wallets.create'),
    'internal.wallets.open': () => twinOf('wallets.open'),
    'internal.health': async () => ({ path: '/internal/health' }),
};

/** What works on a public endpoint works on its internal twin. */
async function twinOf(id: EndpointId): Promise<Call> {
    const { token: _, path, ...call } = await examples[id]();
    return { ...call, path: `/internal${path}`, internal: true };
}

async function aKey(): Promise<string> {
    return (await newKey(await newAccount())).api_key;
}

async function anIssued() {
    const token = await aKey();
    return { token, ...(await issue(token, await newDid(token))) };
}

async function aFilledWallet() {
    const { token, credential, credential_id } = await anIssued();
    const wallet = await newWallet(token);
    await store(token, wallet, credential, { folder: 'work' });
    return { token, credential_id, ...wallet };
}
