import { z } from 'zod';
import type { CallContext } from '../../platform/context.ts';
import { AppError } from '../../platform/errors.ts';
import type { ListCredentialsRequest, ListCredentialsResponse, Wallet } from '../../proto/gen/wallet/v1/wallet.ts';
import { MAX_METADATA_BYTES } from '../../proto/limits.ts';
import { shownBytes, shownObject } from '../answer-fields.ts';
import { endpoint } from '../endpoint.ts';
import { headerText, jsonObject, name, optional, paging } from '../fields.ts';
import { ListAnswer } from '../lists.ts';
import type { Services } from '../services.ts';

const walletFields = {
    wallet_id: z.string(),
    name: z.string(),
    did: z.string(),
    public_key: shownBytes,
    created_at: z.string(),
};

const summary = z.object({
    credential_id: z.string(),
    credential_type: z.string(),
    issuer: z.string(),
    stored_at: z.string(),
    metadata: shownObject.optional(),
});
const withToken = summary.extend({ credential: z.string() });
const opened = z.object({ ...walletFields, private_key: shownBytes, credentials: z.array(withToken) });
const listed = z.object({ credentials: z.array(summary), total: z.number() });

const byWallet = z.object({ wallet_id: z.string() });
/** The password in a header field. Prefer it to the query, because servers and proxies write URLs to logs. */
const passwordHeader = z.object({ 'x-wallet-password': headerText.optional() });

/** Reads a page of an open wallet. The first page also describes the wallet. */
async function openPage(
    { wallet: service }: Services,
    request: Omit<ListCredentialsRequest, 'with_tokens'>,
    context: CallContext,
) {
    if (request.cursor !== undefined) {
        return { listed: await service.listCredentials({ ...request, with_tokens: true }, context) };
    }
    const { wallet, private_key, credentials } = await service.open(request, context);
    // The service always returns the wallet and the credentials.
    const head = { ...(wallet as Wallet), private_key };
    return { head, listed: credentials as ListCredentialsResponse };
}

/**
 * The wallet's password from the header field, or from the query or body. Throws if it is missing or if both differ.
 */
function onePassword(headers: z.output<typeof passwordHeader>, elsewhere: string | undefined): string {
    const header = headers['x-wallet-password'];
    const password = header ?? elsewhere;
    if (password === undefined) throw new AppError('invalid', 'password is required.');
    if (elsewhere !== undefined && elsewhere !== password) {
        throw new AppError('invalid', 'password and X-Wallet-Password differ.');
    }
    return password;
}

export const walletEndpoints = [
    endpoint({
        id: 'wallets.create',
        summary: 'Create a wallet',
        description:
            'The wallet has its own key pair and DID. Its contents are sealed under a key that is derived from the password (Argon2id, AES-256-GCM). A lost password cannot be restored.',
        method: 'POST',
        path: '/v1/wallets',
        access: 'bearer',
        scope: 'wallets:create',
        status: 201,
        message: 'Wallet created',
        byKey: true,
        actsOn: 'wallet_id',
        hashesPassword: true,
        body: z.object({ name, password: z.string(), description: optional(z.string()) }),
        answer: z.object(walletFields),
        call: ({ body, services, context }) => services.wallet.create(body, context),
    }),

    endpoint({
        id: 'wallets.open',
        summary: 'Open a wallet',
        idempotent: true,
        method: 'POST',
        path: '/v1/wallets/open',
        access: 'bearer',
        scope: 'wallets:open',
        status: 200,
        message: 'Wallet opened',
        actsOn: 'wallet_id',
        hashesPassword: true,
        body: z.object({ wallet_id: z.string(), password: z.string() }),
        answer: opened,
        async call({ body, services }) {
            return new ListAnswer<z.input<typeof opened>>({
                field: 'credentials',
                totals: false,
                paging: {},
                async fetch(page, context) {
                    const { head, listed } = await openPage(services, { ...body, ...page }, context);
                    return {
                        ...(head && { head }),
                        rows: listed.credentials,
                        next_cursor: listed.next_cursor,
                        total: undefined,
                    };
                },
            });
        },
    }),

    endpoint({
        id: 'wallets.add_credential',
        summary: 'Store a credential in a wallet',
        description:
            'The credential must have a valid signature. If it is already stored, its entry gets the new metadata.',
        method: 'POST',
        path: '/v1/wallets/{wallet_id}/credentials',
        access: 'bearer',
        scope: 'wallets:write',
        status: 201,
        message: 'Credential stored',
        byKey: true,
        actsOn: 'wallet_id',
        hashesPassword: true,
        params: byWallet,
        body: z.object({
            password: z.string(),
            credential: z.string(),
            metadata: optional(jsonObject(MAX_METADATA_BYTES)),
        }),
        answer: z.object({
            credential_id: z.string(),
            wallet_id: z.string(),
            credential_type: z.string(),
            issuer: z.string(),
            stored_at: z.string(),
        }),
        call: ({ params, body, services, context }) => services.wallet.addCredential({ ...params, ...body }, context),
    }),

    endpoint({
        id: 'wallets.list_credentials',
        summary: 'List the credentials in a wallet',
        description:
            'The password is required. Send it in `X-Wallet-Password` rather than in the query, because servers and proxies may log URLs.',
        method: 'GET',
        path: '/v1/wallets/{wallet_id}/credentials',
        access: 'bearer',
        scope: 'wallets:open',
        status: 200,
        message: 'Stored credentials',
        actsOn: 'wallet_id',
        hashesPassword: true,
        params: byWallet,
        query: paging.extend({ password: z.string().optional() }),
        headers: passwordHeader,
        answer: listed,
        async call({ params, query: { password: inQuery, ...pages }, headers, services }) {
            const password = onePassword(headers, inQuery);
            return new ListAnswer<z.input<typeof listed>>({
                field: 'credentials',
                paging: pages,
                async fetch(page, context) {
                    const request = { ...params, password, ...page, with_tokens: false };
                    const answer = await services.wallet.listCredentials(request, context);
                    return { rows: answer.credentials, next_cursor: answer.next_cursor, total: answer.total };
                },
            });
        },
    }),

    endpoint({
        id: 'wallets.delete_credential',
        summary: 'Delete a credential from a wallet',
        description: 'The password is required, in the body or in `X-Wallet-Password`.',
        method: 'DELETE',
        path: '/v1/wallets/{wallet_id}/credentials/{credential_id}',
        access: 'bearer',
        scope: 'wallets:write',
        status: 200,
        message: 'Stored credential deleted',
        actsOn: 'wallet_id',
        hashesPassword: true,
        params: byWallet.extend({ credential_id: z.string() }),
        headers: passwordHeader,
        body: z.object({ password: optional(z.string()) }),
        answer: z.object({ credential_id: z.string(), deleted_at: z.string() }),
        call: ({ params, headers, body, services, context }) =>
            services.wallet.deleteCredential({ ...params, password: onePassword(headers, body.password) }, context),
    }),
];
