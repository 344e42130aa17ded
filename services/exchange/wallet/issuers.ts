import { leases } from '../../issuers/leases.ts';
import type { WalletDependencies } from './dependencies.ts';
import type { WalletStore } from './wallet.store.ts';

/** A process asks the database about an issuer once in each lease, so that a nonce costs no statement of its own. */
export function issuerOffers(store: Pick<WalletStore, 'offersAnything'>): WalletDependencies['issuerOffers'] {
    const known = leases<true>();
    return async (issuer, wallet) => {
        const find = async () => ((await store.offersAnything(issuer, wallet)) ? true : undefined);
        return (await known.find(issuer, find)) ?? false;
    };
}
