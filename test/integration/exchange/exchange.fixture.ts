import { randomUUID } from 'node:crypto';
import type { CallContext } from '../../../platform/context.ts';
import { AppError } from '../../../platform/errors.ts';
import { loadConfig } from '../../../platform/process/config.ts';
import { createMetrics } from '../../../platform/telemetry/metrics.ts';
import type { Credential, IssueRequest } from '../../../proto/gen/credentials/v1/credentials.ts';
import { cursors } from '../../../services/cursors.ts';
import { configurationsStore } from '../../../services/exchange/configurations.store.ts';
import { exchangeErasure, offersOfSubject } from '../../../services/exchange/erase.store.ts';
import { offersStore } from '../../../services/exchange/offers.store.ts';
import { exchangeService } from '../../../services/exchange/service.ts';
import { dpopProofs } from '../../../services/exchange/wallet/dpop.ts';
import { issuerOffers } from '../../../services/exchange/wallet/issuers.ts';
import { nonces } from '../../../services/exchange/wallet/nonces.ts';
import { refusalCounter } from '../../../services/exchange/wallet/refusals.ts';
import { walletStore } from '../../../services/exchange/wallet/wallet.store.ts';
import { idempotencies } from '../../../services/idempotency/idempotency.ts';
import { testContext, testDatabase } from '../../support/harness.ts';

export const PUBLIC_URL = 'https://credentials.example/base';
const GRANT = 'urn:ietf:params:oauth:grant-type:pre-authorized_code';
const SECRETS = ['a-secret-of-the-services'] as const;

/**
 * The service on a database of its own. Its calls of credentials are noted. The next issue fails with `failure.next`, and
 * `failure.meanwhile` runs during it.
 */
export async function exchangeFixture() {
    const { db, url } = await testDatabase();
    const clock = { now: Date.UTC(2026, 10, 20) };
    const time = () => clock.now;
    const { issued, erasedSubjects, failure, ...credentials } = credentialsService();
    const { erased, ...signing } = issuers();
    const pepper = 'a-pepper-of-the-deployment';
    const shared = { publicUrl: PUBLIC_URL, pepper, clock: time };
    const metrics = createMetrics();
    const service = exchangeService({
        ...shared,
        configurations: configurationsStore(db),
        offers: offersStore(db),
        erasureSteps: exchangeErasure(db),
        subjectErasureSteps: [offersOfSubject(db, pepper)],
        idempotency: idempotencies({
            config: loadConfig({ IDEMPOTENCY_PEPPER: pepper }),
            databasesOf: () => [db],
            metrics,
            clock: time,
        })('exchange'),
        cursors: cursors(SECRETS),
        services: { signing },
        quota: { free: 3, basic: 3, pro: 3, enterprise: 3 },
        counted: refusalCounter(metrics),
        wallet: {
            ...shared,
            store: walletStore(db),
            services: {
                credentials,
                keys: { mayAct: async () => ({ may_act: true }) },
                signing,
            },
            issuerOffers: issuerOffers(walletStore(db)),
            nonces: nonces(SECRETS, time),
            dpopProofs: dpopProofs(async () => true, time),
        },
    });

    return {
        db,
        url,
        clock,
        metrics,
        service,
        issued,
        erasedSubjects,
        failure,
        erased,
        redeemed: (options = {}) => redeemed(service, options),
    };
}

/** Stands for the credentials service, and notes its calls. */
function credentialsService() {
    const issued: Array<{ request: IssueRequest; key: string | undefined }> = [];
    const erasedSubjects: string[] = [];
    const failure: { next?: AppError | undefined; meanwhile?: (() => Promise<unknown>) | undefined } = {};
    const issue = async (request: IssueRequest, { idempotency_key: key }: CallContext): Promise<Credential> => {
        const { next: error, meanwhile } = failure;
        Object.assign(failure, { next: undefined, meanwhile: undefined });
        await meanwhile?.();
        if (error) throw error;
        issued.push({ request, key });
        const credentialId = `urn:uuid:${key}`;
        const { issuer_did: issuer, subject_did: subject, credential_type } = request;
        return {
            credential_id: credentialId,
            credential: `token of ${key}`,
            issuer,
            subject,
            credential_type,
            issued_at: '',
        } as Credential;
    };
    const eraseSubject = async (erased: { subject_did: string }) => ({
        done: erasedSubjects.push(erased.subject_did) > 0,
    });
    return { issued, erasedSubjects, failure, issue, eraseSubject };
}

const ACTIVE_KEY = { kid: '', public_key: new Uint8Array(33), state: 'active', created_at: '', alg: 'ES256' };

/** Every id is one of an issuer, unless `erased` has it: then its account is erased. */
function issuers() {
    const erased = new Set<string>();
    return {
        erased,
        async getIssuer({ issuer_id }: { issuer_id: string }) {
            const did = `did:web:credentials.example:base:issuers:${issuer_id}`;
            return { issuer_id, did, method: 'web', name: 'club', created_at: '', keys: [ACTIVE_KEY] };
        },
        async checkSigner({ did }: { did: string }) {
            if (erased.has(did.split(':').at(-1) ?? '')) throw new AppError('not_found', 'There is no such issuer.');
            return {};
        },
    };
}

/** An offer of a new account, and the access token for it. */
async function redeemed(
    service: ReturnType<typeof exchangeService>,
    {
        max_keys = 1,
        ...terms
    }: { max_keys?: number; expires_in?: number; expiration_date?: string; subject_did?: string },
) {
    const context = testContext({ user_id: randomUUID() });
    const issuerId = randomUUID();
    const configurationId = 'membership';
    await service.createConfiguration(
        {
            ...{
                issuer_id: issuerId,
                configuration_id: configurationId,
                format: 'dc+sd-jwt',
                vct: 'https://club.example/membership',
            },
            ...{ display: [], claims: [], proof_algs: [], max_keys },
        },
        context,
    );
    const { offer, offer_uri } = await service.createOffer(
        { issuer_id: issuerId, configuration_id: configurationId, claims: '{"given_name":"Ada"}', ...terms },
        context,
    );
    const secret = decodeURIComponent(offer_uri).split('/').at(-1) ?? '';
    const wallet = testContext();
    const { code } = await service.getCredentialOffer({ issuer_id: issuerId, secret }, wallet);
    const { access_token } = await service.redeem({ issuer_id: issuerId, grant_type: GRANT, code }, wallet);
    const { c_nonce } = await service.getNonce({ issuer_id: issuerId }, wallet);
    const offerId = offer?.offer_id ?? '';
    const identifier = `${PUBLIC_URL}/issuers/${issuerId}`;
    return {
        context,
        wallet,
        issuer_id: issuerId,
        configuration_id: configurationId,
        offer_id: offerId,
        secret,
        code,
        access_token,
        c_nonce,
        identifier,
    };
}
