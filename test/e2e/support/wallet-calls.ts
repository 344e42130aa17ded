import assert from 'node:assert/strict';
import { type Call, expectOk } from './client.ts';
import type { Wallet } from './world.ts';

/** The password where it stands in no URL: as bytes, which fetch leaves as they are. */
export const inHeader = (password: string) => ({ 'X-Wallet-Password': Buffer.from(password).toString('latin1') });

/** The calls that a caller makes to wallets. */
export function walletCalls(token: string) {
    const list = ({ wallet_id, password }: Wallet, query = '', more: Partial<Call> = {}): Call => ({
        path: `/v1/wallets/${wallet_id}/credentials${query}`,
        token,
        headers: inHeader(password),
        ...more,
    });
    return {
        list,

        /** The ids of all that is in a wallet. */
        async idsIn(wallet: Wallet): Promise<string[]> {
            const { credentials, total } = await expectOk(200, list(wallet));
            assert.equal(total, credentials.length);
            return credentials.map(({ credential_id }: { credential_id: string }) => credential_id);
        },

        open: (
            { wallet_id, password }: { wallet_id: unknown; password?: unknown },
            more: Partial<Call> = {},
        ): Call => ({ method: 'POST', path: '/v1/wallets/open', token, body: { wallet_id, password }, ...more }),

        add: (wallet_id: string, body: unknown): Call => ({
            method: 'POST',
            path: `/v1/wallets/${wallet_id}/credentials`,
            token,
            body,
        }),

        remove: ({ wallet_id }: Wallet, credential_id: string, more: Partial<Call>): Call => ({
            method: 'DELETE',
            path: `/v1/wallets/${wallet_id}/credentials/${credential_id}`,
            token,
            ...more,
        }),
    };
}
