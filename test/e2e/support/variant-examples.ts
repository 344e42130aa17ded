import type { Api } from '../../../client/src/client.ts';
import { aFilledWallet, aKey, anIssued, issueBody, newDid, present, presentationBody } from './world.ts';

/** The operations that trusted callers have under the same names as public callers. */
type Variants = Omit<Api['internal'], 'auth' | 'keys' | 'admin' | 'subjects' | 'health'>;

/** A valid call of a public operation that is also valid for its internal variant. */
interface Variant {
    token: string;
    operation(api: Variants): Promise<unknown>;
}

export const variantExamples = {
    'did.create': async () => ({ token: await aKey(), operation: (api) => api.did.create() }),
    'did.resolve': async () => {
        const token = await aKey();
        const { did } = await newDid(token);
        return { token, operation: (api) => api.did.resolve({ did }) };
    },
    'credentials.issue': async () => {
        const token = await aKey();
        const input = { ...issueBody(await newDid(token), 'did:web:subject.example'), expiration_date: '2030-01-01' };
        return { token, operation: (api) => api.credentials.issue(input) };
    },
    'credentials.verify': async () => {
        const { token, credential, issuer } = await anIssued();
        const input = { credential, issuer_did: issuer, check_revocation: true };
        return { token, operation: (api) => api.credentials.verify(input) };
    },
    'credentials.revoke': async () => {
        const { token, credential_id, issuer } = await anIssued();
        const input = { credential_id, issuer_did: issuer, reason: 'left the company' };
        return { token, operation: (api) => api.credentials.revoke(input) };
    },
    'credentials.batch.issue': async () => {
        const token = await aKey();
        const { issuer_did, issuer_private_key, ...item } = issueBody(await newDid(token), 'did:web:subject.example');
        const items = [item, { ...item, expiration_date: '2030-01-01' }, { ...item, subject_did: 'nobody' }];
        const input = { issuer_did, issuer_private_key, items };
        return { token, operation: (api) => api.credentials.batch.issue(input) };
    },
    'credentials.batch.verify': async () => {
        const { token, credential, issuer } = await anIssued();
        const items = [{ credential, issuer_did: issuer }, { credential }, { credential: 'no token' }];
        return { token, operation: (api) => api.credentials.batch.verify({ items, check_revocation: true }) };
    },
    'credentials.batch.revoke': async () => {
        const { token, credential_id, issuer } = await anIssued();
        const items = [{ credential_id, reason: 'left the company' }, { credential_id: 'no id' }];
        return { token, operation: (api) => api.credentials.batch.revoke({ issuer_did: issuer, items }) };
    },
    'credentials.batch.status': async () => {
        const { token, credential_id } = await anIssued();
        const input = { credential_ids: [credential_id, 'no id'] };
        return { token, operation: (api) => api.credentials.batch.status(input) };
    },
    'presentations.create': async () => {
        const { token, credential } = await anIssued();
        const body = presentationBody(await newDid(token), [credential]);
        const input = { ...body, nonce: 'n-0S6_WzA2Mj', domain: 'shop.example' };
        return { token, operation: (api) => api.presentations.create(input) };
    },
    'presentations.verify': async () => {
        const { token, credential } = await anIssued();
        const nonce = 'n-0S6_WzA2Mj';
        const { presentation, audience } = await present(token, await newDid(token), [credential], { nonce });
        const input = { presentation, audience, nonce, check_revocation: true };
        return { token, operation: (api) => api.presentations.verify(input) };
    },
    'wallets.create': async () => {
        const input = { name: 'private', password: 'open sesame', description: 'diplomas' };
        return { token: await aKey(), operation: (api) => api.wallets.create(input) };
    },
    'wallets.open': async () => {
        const { token, wallet_id, password } = await aFilledWallet();
        return { token, operation: (api) => api.wallets.open({ wallet_id, password }) };
    },
} satisfies Record<string, () => Promise<Variant>>;

export type VariantId = keyof typeof variantExamples;
