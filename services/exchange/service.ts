import { requireUser } from '../../platform/context.ts';
import type { ServiceOf } from '../../platform/rpc/definition.ts';
import type { ExchangeServiceDefinition } from '../../proto/gen/exchange/v1/exchange.ts';
import { type ErasureStep, erasure, subjectErasure } from '../erasure.ts';
import { quotaOf } from '../quotas.ts';
import {
    createConfiguration,
    deleteConfiguration,
    getConfiguration,
    listAllConfigurations,
    listConfigurations,
} from './configurations.ts';
import type { ExchangeDependencies } from './dependencies.ts';
import { createOffer, deleteOffer, getOffer, listOffers } from './offers.ts';
import { getCredentialOffer, getIssuerMetadata, getNonce } from './wallet/before-token.ts';
import { issueCredential } from './wallet/credential.ts';
import type { WalletDependencies } from './wallet/dependencies.ts';
import { notify } from './wallet/notification.ts';
import { redeem } from './wallet/redeem.ts';
import type { CountRefusals } from './wallet/refusals.ts';

/** Offers credentials of managed issuers to the wallets of other people (OpenID4VCI 1.0). */
export function exchangeService(
    deps: ExchangeDependencies & {
        wallet: WalletDependencies;
        counted: CountRefusals;
        erasureSteps: readonly ErasureStep[];
        subjectErasureSteps: readonly ErasureStep[];
    },
): ServiceOf<typeof ExchangeServiceDefinition> {
    const { wallet, counted } = deps;
    return {
        createConfiguration: (request, context) => createConfiguration(deps, request, context),
        listConfigurations: (request, context) => listConfigurations(deps, request, context),
        listAllConfigurations: (request, context) => listAllConfigurations(deps, request, context),
        getConfiguration: (request, context) => getConfiguration(deps, request, context),
        deleteConfiguration: (request, context) => deleteConfiguration(deps, request, context),
        createOffer: (request, context) => createOffer(deps, request, context),
        listOffers: (request, context) => listOffers(deps, request, context),
        getOffer: (request, context) => getOffer(deps, request, context),
        deleteOffer: (request, context) => deleteOffer(deps, request, context),
        getCredentialOffer: (request, context) => getCredentialOffer(wallet, request, context),
        getIssuerMetadata: (request, context) => getIssuerMetadata(wallet, request, context),
        getNonce: (request, context) => getNonce(wallet, request, context),
        redeem: counted('token', (request, context) => redeem(wallet, request, context)),
        issueCredential: counted('credential', (request, context) => issueCredential(wallet, request, context)),
        notify: counted('notification', (request, context) => notify(wallet, request, context)),
        async getQuotas(_request, context) {
            const used = await deps.offers.count(requireUser(context), context);
            return { offers: { used, limit: quotaOf(deps.quota, context) } };
        },
        eraseAccount: erasure(deps.erasureSteps),
        eraseSubject: subjectErasure(deps.subjectErasureSteps),
    };
}
