import type { Client } from '../../../client/src/client.ts';
import { service } from '../support/client.ts';
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

/** Examples of the endpoints with which accounts offer credentials. */
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
};
