import type { Client } from '../../../client/src/client.ts';
import { jwtOf, newWalletKey } from '../../support/wallets/wallet-keys.ts';
import { type Answer, send, service } from '../support/client.ts';
import { aManagedIssuer } from '../support/world.ts';

/** What the configuration of the examples says. */
export const DESCRIBED = {
    configuration_id: 'membership',
    format: 'dc+sd-jwt',
    vct: 'https://club.example/membership',
    display: [{ name: 'Membership', locale: 'en', background_color: '#12ab34', logo: 'https://club.example/logo.png' }],
    claims: [{ path: ['given_name'], mandatory: true, display: [{ name: 'Given name', locale: 'en' }] }],
} as const;

/** A managed did:web issuer with a configuration, and a token of its account. `more` overrides fields of it. */
export async function aConfiguration(more: object = {}) {
    const { token, issuer_id, did } = await aManagedIssuer();
    const created = await service.as({ token }).configurations.create({ issuer_id, ...described(), ...more });
    return { token, did, ...created };
}

/** The client takes lists that can be changed. */
export function described() {
    return structuredClone(DESCRIBED) as { -readonly [Key in keyof typeof DESCRIBED]: (typeof DESCRIBED)[Key] } & {
        display: Array<{ name: string }>;
        claims: Array<{ path: string[] }>;
    };
}

/** An offer of such an issuer. */
export async function anOffer(more: object = {}, configured: object = {}) {
    const { token, did, issuer_id, configuration_id } = await aConfiguration(configured);
    const input = { issuer_id, configuration_id, claims: { given_name: 'Ada' }, ...more };
    return { token, did, ...(await service.as({ token }).offers.create(input)) };
}

export const GRANT = 'urn:ietf:params:oauth:grant-type:pre-authorized_code';

/** What the link of an offer says. */
export function linked({ offer_uri }: { offer_uri: string }) {
    const uri = new URL(offer_uri).searchParams.get('credential_offer_uri') ?? '';
    const [issuerId = '', , secret = ''] = uri.split('/').slice(4);
    return { issuer_id: issuerId, secret };
}

/** Reads the link of an offer as a wallet does. */
export function readLink(offered: { offer_uri: string }): Promise<Answer> {
    const { issuer_id, secret } = linked(offered);
    return send({ path: `/issuers/${issuer_id}/offers/${secret}` });
}

/** The pre-authorized code of an offer. */
export async function codeOf(offered: { offer_uri: string }): Promise<string> {
    const { grants } = await service.exchange.offer(linked(offered));
    return grants[GRANT]['pre-authorized_code'];
}

/** The access token of an offer. */
export async function redeemed(offered: { offer_uri: string; tx_code?: string | undefined }) {
    const { issuer_id } = linked(offered);
    const code = await codeOf(offered);
    const { tx_code } = offered;
    return service.exchange.token({ issuer_id, grant_type: GRANT, 'pre-authorized_code': code, tx_code });
}

/** The request of a wallet for the credential of an offer. `named`: how the proof names the key. */
export async function credentialRequest(issuerId: string, key = newWalletKey(), named: object = { jwk: key.jwk }) {
    const { c_nonce: nonce } = await service.exchange.nonce({ issuer_id: issuerId });
    const payload = { aud: `https://credentials.example/issuers/${issuerId}`, iat: Date.now() / 1_000, nonce };
    const jwt = [jwtOf(key, { typ: 'openid4vci-proof+jwt', ...named }, payload)];
    return { issuer_id: issuerId, credential_configuration_id: 'membership', proofs: { jwt } };
}

/** Examples of the endpoints with which accounts offer credentials and wallets take them. */
export const exchangeExamples = {
    'configurations.create': async () => {
        const { token, issuer_id } = await aManagedIssuer();
        const input = { issuer_id, ...described(), max_keys: 2, proof_algs: ['ES256'] };
        return { token, run: ({ configurations }: Client) => configurations.create(input) };
    },
    'configurations.list': async () => {
        const { token, issuer_id } = await aConfiguration();
        return { token, run: ({ configurations }: Client) => configurations.list({ issuer_id }) };
    },
    'configurations.get': async () => {
        const { token, issuer_id, configuration_id } = await aConfiguration();
        const input = { issuer_id, configuration_id };
        return { token, run: ({ configurations }: Client) => configurations.get(input) };
    },
    'configurations.delete': async () => {
        const { token, issuer_id, configuration_id } = await aConfiguration();
        const input = { issuer_id, configuration_id };
        return { token, run: ({ configurations }: Client) => configurations.delete(input) };
    },
    'offers.create': async () => {
        const { token, issuer_id, configuration_id } = await aConfiguration();
        const input = {
            issuer_id,
            configuration_id,
            claims: { given_name: 'Ada' },
            expires_in: 600,
            tx_code: { length: 4, input_mode: 'numeric' as const, description: 'It is in the letter.' },
        };
        return { token, run: ({ offers }: Client) => offers.create(input) };
    },
    'offers.list': async () => {
        const { token } = await anOffer();
        return { token, run: ({ offers }: Client) => offers.list() };
    },
    'offers.get': async () => {
        const { token, offer_id } = await anOffer();
        return { token, run: ({ offers }: Client) => offers.get({ offer_id }) };
    },
    'offers.delete': async () => {
        const { token, offer_id } = await anOffer();
        return { token, run: ({ offers }: Client) => offers.delete({ offer_id }) };
    },
    'exchange.offer': async () => {
        const { issuer_id, secret } = linked(await anOffer({ tx_code: {} }));
        return { run: ({ exchange }: Client) => exchange.offer({ issuer_id, secret }) };
    },
    'exchange.token': async () => {
        const offered = await anOffer({ tx_code: {} });
        const { tx_code } = offered;
        const { issuer_id } = linked(offered);
        const input = { issuer_id, grant_type: GRANT, 'pre-authorized_code': await codeOf(offered), tx_code };
        return { run: ({ exchange }: Client) => exchange.token(input) };
    },
    'exchange.nonce': async () => {
        const { issuer_id } = await aConfiguration();
        return { run: ({ exchange }: Client) => exchange.nonce({ issuer_id }) };
    },
    'exchange.credential': async () => {
        const offered = await anOffer();
        const { access_token: token } = await redeemed(offered);
        const input = await credentialRequest(offered.issuer_id);
        return { token, run: ({ exchange }: Client) => exchange.credential(input) };
    },
    'exchange.notification': async () => {
        const offered = await anOffer();
        const { access_token: token } = await redeemed(offered);
        const { issuer_id, offer_id: notificationId } = offered;
        const input = { issuer_id, notification_id: notificationId, event: 'credential_accepted' };
        return { token, run: ({ exchange }: Client) => exchange.notification(input) };
    },
    'exchange.issuer_metadata': async () => {
        const { issuer_id } = await aConfiguration({ max_keys: 2 });
        return { run: ({ exchange }: Client) => exchange.issuerMetadata({ issuer_id }) };
    },
    'exchange.server_metadata': async () => {
        const { issuer_id } = await aConfiguration();
        return { run: ({ exchange }: Client) => exchange.serverMetadata({ issuer_id }) };
    },
};
