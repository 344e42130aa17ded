import { type Client, createClient } from '../../../client/src/client.ts';
import type { EndpointId } from '../../../gateway/endpoints/index.ts';
import { collected } from '../../support/collected.ts';
import { exchangeExamples } from '../exchange/exchange-examples.ts';
import { webhookExamples } from '../webhooks/webhook-examples.ts';
import { adminExamples } from './admin-examples.ts';
import { type Call, INTERNAL_SECRET } from './client.ts';
import { documentExamples } from './document-examples.ts';
import { type VariantId, variantExamples } from './variant-examples.ts';
import {
    aFilledWallet,
    aKey,
    aManagedIssuer,
    anAccountWithKey,
    anIssued,
    newAccount,
    newDid,
    newEmail,
    newWallet,
    register,
} from './world.ts';

/** A valid call of an endpoint. The objects that it needs exist, and `run` makes the call. */
export interface Example {
    token?: string;
    internal?: true;
    run(client: Client): Promise<unknown>;
}

const others: Record<Exclude<EndpointId, VariantId | `internal.${VariantId}`>, () => Promise<Example>> = {
    'keys.generate': async () => {
        const { token } = await newAccount();
        return { token, run: ({ keys }) => keys.generate({ name: 'build server' }) };
    },
    'keys.list': async () => {
        const { token } = await anAccountWithKey();
        return { token, run: ({ keys }) => keys.list() };
    },
    'keys.get': async () => {
        const { token, key_id } = await anAccountWithKey();
        return { token, run: ({ keys }) => keys.get({ key_id }) };
    },
    'keys.revoke': async () => {
        const { token, key_id } = await anAccountWithKey();
        return { token, run: ({ keys }) => keys.revoke({ key_id }) };
    },
    'keys.update': async () => {
        const { token, key_id } = await anAccountWithKey();
        return { token, run: ({ keys }) => keys.update({ key_id, name: 'renamed' }) };
    },
    'keys.rotate': async () => {
        const { token, key_id } = await anAccountWithKey();
        return { token, run: ({ keys }) => keys.rotate({ key_id, overlap_seconds: 3_600 }) };
    },
    'internal.keys.verify': async () => {
        const input = { api_key: await aKey(), scope: 'credentials:issue' as const, cost: 2 };
        return { internal: true, run: ({ internal }) => internal.keys.verify(input) };
    },

    'did.document': async () => {
        const token = await aKey();
        const { did: own } = await newDid(token);
        return { token, run: ({ did }) => did.document({ did: own }) };
    },

    'issuers.create': async () => {
        const token = await aKey();
        return { token, run: ({ issuers }) => issuers.create({ name: 'Registrar', method: 'web' }) };
    },
    'issuers.list': async () => {
        const { token } = await aManagedIssuer();
        return { token, run: ({ issuers }) => issuers.list() };
    },
    'issuers.get': async () => {
        const { token, issuer_id } = await aManagedIssuer();
        return { token, run: ({ issuers }) => issuers.get({ issuer_id }) };
    },
    'issuers.rotate': async () => {
        const { token, issuer_id } = await aManagedIssuer();
        return { token, run: ({ issuers }) => issuers.rotate({ issuer_id }) };
    },
    'issuers.mark_compromised': async () => {
        const { token, issuer_id, kid } = await aManagedIssuer();
        return { token, run: ({ issuers }) => issuers.markCompromised({ issuer_id, kid, reason: 'leaked' }) };
    },
    'issuers.archive': async () => {
        const { token, issuer_id } = await aManagedIssuer();
        return { token, run: ({ issuers }) => issuers.archive({ issuer_id }) };
    },

    'credentials.status': async () => {
        const { token, credential_id } = await anIssued();
        return { token, run: ({ credentials }) => credentials.status({ credential_id }) };
    },
    'credentials.by_issuer': async () => {
        const { token, issuer } = await anIssued();
        return { token, run: ({ credentials }) => credentials.byIssuer({ issuer_did: issuer }) };
    },
    'credentials.by_subject': async () => {
        const { token, subject } = await anIssued();
        return { token, run: ({ credentials }) => credentials.bySubject({ subject_did: subject }) };
    },

    ...webhookExamples,
    ...exchangeExamples,
    ...documentExamples,

    'wallets.add_credential': async () => {
        const { token, credential } = await anIssued();
        const { wallet_id, password } = await newWallet(token);
        const input = { wallet_id, password, credential, metadata: { folder: 'work' } };
        return { token, run: ({ wallets }) => wallets.addCredential(input) };
    },
    'wallets.list_credentials': async () => {
        const { token, wallet_id, password } = await aFilledWallet();
        return { token, run: ({ wallets }) => wallets.listCredentials({ wallet_id, password }) };
    },
    'wallets.delete_credential': async () => {
        const { token, wallet_id, password, credential_id } = await aFilledWallet();
        return { token, run: ({ wallets }) => wallets.deleteCredential({ wallet_id, password, credential_id }) };
    },

    'me.get': async () => ({ token: (await newAccount()).token, run: ({ me }) => me.get() }),
    'me.update': async () => {
        const { token } = await newAccount();
        return { token, run: ({ me }) => me.update({ name: 'Grace', email: newEmail() }) };
    },
    'me.change_password': async () => {
        const { token, password } = await newAccount();
        const input = { current_password: password, new_password: `${password} staple` };
        return { token, run: ({ me }) => me.changePassword(input) };
    },
    'me.delete': async () => {
        const { token, password } = await newAccount();
        return { token, run: ({ me }) => me.delete({ password, confirm: 'delete' }) };
    },
    'me.quotas': async () => ({ token: (await newAccount()).token, run: ({ me }) => me.quotas() }),
    'me.export': async () => ({ token: (await newAccount()).token, run: ({ me }) => collected(me.export()) }),
    'me.stats': async () => ({ token: (await newAccount()).token, run: ({ me }) => me.stats() }),

    'internal.auth.login': async () => {
        const { email, password } = await register();
        return { run: ({ internal }) => internal.auth.login({ email, password }) };
    },
    'internal.auth.logout': async () => {
        const { token } = await newAccount();
        return { internal: true, run: ({ internal }) => internal.auth.logout({ token }) };
    },
    'internal.auth.refresh': async () => {
        const { refresh_token } = await newAccount();
        return { internal: true, run: ({ internal }) => internal.auth.refresh({ refresh_token }) };
    },
    'internal.auth.me': async () => {
        const { token } = await newAccount();
        return { internal: true, token, run: ({ internal }) => internal.auth.me() };
    },
    ...adminExamples,
    'internal.health': async () => ({ run: ({ internal }) => internal.health() }),
};

const ids = Object.keys(variantExamples) as VariantId[]; // it has no other keys

/** An example for every endpoint. An endpoint without an example is a compile error in `others`. */
export const examples = {
    ...others,
    ...Object.fromEntries(ids.map((id) => [id, () => asAnybody(id)])),
    ...Object.fromEntries(ids.map((id) => [`internal.${id}`, () => asTrusted(id)])),
} as Record<EndpointId, () => Promise<Example>>; // the three parts have all endpoints

async function asAnybody(id: VariantId): Promise<Example> {
    const { token, operation } = await variantExamples[id]();
    return { token, run: (client) => operation(client) };
}

async function asTrusted(id: VariantId): Promise<Example> {
    const { operation } = await variantExamples[id]();
    return { internal: true, run: ({ internal }) => operation(internal) };
}

/** Makes the example of an endpoint. */
export function exampleOf(id: EndpointId): Promise<Example> {
    if (!(id in examples)) throw new Error(`There is no example of ${id}: add it to test/e2e/support/examples.ts.`);
    return examples[id]();
}

/** Returns the request that the client makes of an example, for tests that send it in another way. */
export async function exampleCall(id: EndpointId): Promise<Call> {
    const { token, internal, run } = await exampleOf(id);
    const calls: Call[] = [];
    const client = createClient({
        base_url: 'http://service.example',
        token,
        internal_secret: internal && INTERNAL_SECRET,
        async fetch(url, { method = 'GET', headers, body }) {
            const others = new Headers(headers);
            for (const name of ['Authorization', 'X-Internal-Secret', 'Idempotency-Key']) others.delete(name);
            const isJson = others.get('Content-Type') === 'application/json';
            if (isJson) others.delete('Content-Type');
            calls.push({
                method,
                path: url.slice('http://service.example'.length),
                token,
                ...(internal && { internal }),
                ...(typeof body === 'string' && { body: isJson ? JSON.parse(body) : body }),
                headers: Object.fromEntries(others),
            });
            return Response.json({ data: {} });
        },
    });
    await run(client);
    return calls[0] as Call; // a call of the client is one request
}
