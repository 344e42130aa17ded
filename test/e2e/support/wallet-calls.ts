import assert from 'node:assert/strict';
import { type Call, expectOk } from './client.ts';
import type { Wallet } from './world.ts';

/** Returns the header with the password, in UTF-8. fetch sends each character of a header as one byte. */
export const inHeader = (password: string) => ({ 'X-Wallet-Password': Buffer.from(password).toString('latin1') });

/** Returns functions that make calls to wallets with `token`. */
export function walletCalls(token: string) {
    const list = ({ wallet_id, password }: Wallet, query = '', more: Partial<Call> = {}): Call => ({
        path: `/v1/wallets/${wallet_id}/credentials${query}`,
        token,
        headers: inHeader(password),
        ...more,
    });
    return {
        list,

        /** Returns the ids of all credentials in a wallet. */
        async idsIn(wallet: Wallet): Promise<string[]> {
            const { credentials, total } = await expectOk(200, list(wallet));
            assert.equal(total, credentials.length);
            return credentials.map(({ credential_id }: { credential_id: string }) => credential_id);
        },

        open: (
            { wallet_id, password }: { wallet_id: unknown; password?: unknown },
            more: Partial<Call> = {},
        ): Call => ({ method: 'POST', path: '/v1/wallets/open', token, body: { wallet_id, password }, ...more }),

        add: (walletId: string, body: unknown): Call => ({
            method: 'POST',
            path: `/v1/wallets/${walletId}/credentials`,
            token,
            body,
        }),

        remove: ({ wallet_id }: Wallet, credentialId: string, more: Partial<Call>): Call => ({
            method: 'DELETE',
            path: `/v1/wallets/${wallet_id}/credentials/${credentialId}`,
            token,
            ...more,
        }),
    };
}
