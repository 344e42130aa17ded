import { AppError } from '../../../platform/errors.ts';
import type { ServiceOf } from '../../../platform/rpc/definition.ts';
import type { SigningServiceDefinition } from '../../../proto/gen/signing/v1/signing.ts';
import { leases } from '../../issuers/leases.ts';
import type { WalletDependencies } from './dependencies.ts';
import { asMaker } from './offer-maker.ts';
import type { WalletStore } from './wallet.store.ts';

/** A process asks the database about an issuer once in each lease, so that a nonce costs no statement of its own. */
export function issuerOffers(store: Pick<WalletStore, 'offersAnything'>): WalletDependencies['issuerOffers'] {
    const known = leases<true>();
    return async (issuer, wallet) => {
        const find = async () => ((await store.offersAnything(issuer, wallet)) ? true : undefined);
        return (await known.find(issuer, find)) ?? false;
    };
}

/**
 * A process asks about an issuer once in each lease, however many wallets come. Archiving waits until the leases end. The
 * issuers of an account that is erased meanwhile are not known any more.
 */
export function issuerIsActive(
    signing: Pick<ServiceOf<typeof SigningServiceDefinition>, 'getIssuer'>,
): WalletDependencies['issuerIsActive'] {
    const known = leases<boolean>();
    return async ({ issuer, account }, wallet) => {
        const isActive = await known.find(issuer, async () => {
            const asked = signing.getIssuer({ issuer_id: issuer }, asMaker({ account, api_key: null }, wallet));
            const found = await asked.catch((error: unknown) => {
                if (error instanceof AppError && error.kind === 'not_found') return undefined;
                throw error;
            });
            return found && found.archived_at === undefined;
        });
        return isActive === true;
    };
}
