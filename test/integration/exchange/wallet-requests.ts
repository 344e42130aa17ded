import assert from 'node:assert/strict';
import { AppError } from '../../../platform/errors.ts';
import type { IssueCredentialRequest } from '../../../proto/gen/exchange/v1/exchange.ts';
import { jwtOf, type WalletKey } from '../../support/wallets/wallet-keys.ts';
import type { exchangeFixture } from './exchange.fixture.ts';

type Fixture = Awaited<ReturnType<typeof exchangeFixture>>;
type Redeemed = Awaited<ReturnType<Fixture['redeemed']>>;

/** What a wallet with an access token asks for. */
export function walletRequests({ service, clock }: Pick<Fixture, 'service' | 'clock'>) {
    return {
        /** A proof of possession. `header` and `claims` override what it says. */
        proofOf(key: WalletKey, { identifier, c_nonce }: Redeemed, header: object = {}, claims: object = {}): string {
            const payload = { aud: identifier, iat: clock.now / 1_000, nonce: c_nonce, ...claims };
            return jwtOf(key, { typ: 'openid4vci-proof+jwt', jwk: key.jwk, ...header }, payload);
        },

        ask(offered: Redeemed, proofs: string[], more: Partial<IssueCredentialRequest> = {}) {
            const { issuer_id, access_token, configuration_id, wallet } = offered;
            const request = { issuer_id, access_token, configuration_id, proofs, encrypted: false, ...more };
            return service.issueCredential(request, wallet);
        },
    };
}

export const refusedWith = (name: string) => (error: unknown) => {
    assert.ok(error instanceof AppError);
    assert.equal(error.reason, name, error.detail);
    return true;
};
