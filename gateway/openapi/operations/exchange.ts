import type { OperationNotes } from '../operation.ts';

export const ISSUER_ID = '01a1fac9-0e11-7000-8b2a-4c5d6e7f8a9b';
const OFFER_ID = '01a1fac9-1a2b-7000-9c3d-5e6f7a8b9c0d';
const LINK =
    'openid-credential-offer://?credential_offer_uri=https%3A%2F%2Fcredentials.example%2Fissuers%2F01a1fac9-0e11-7000-8b2a-4c5d6e7f8a9b%2Foffers%2FEXAMPLEexampleEXAMPLEexampleEXAMPLEexampleEXA';
const byIssuer = { issuer_id: ISSUER_ID };
const byConfiguration = { ...byIssuer, configuration_id: 'membership' };
const byOffer = { offer_id: OFFER_ID };
const noConfiguration = { not_found: 'The account has no such issuer, or the issuer no such configuration.' };
const noOffer = { not_found: 'The account has no offer with this id.' };
export const described = {
    configuration_id: 'membership',
    format: 'dc+sd-jwt',
    vct: 'https://club.example/membership',
    display: [{ name: 'Membership', locale: 'en', background_color: '#12ab34' }],
    claims: [{ path: ['given_name'], mandatory: true, display: [{ name: 'Given name', locale: 'en' }] }],
    max_keys: 1,
    proof_algs: ['ES256', 'EdDSA'],
};
const configuration = { ...byIssuer, ...described, created_at: '2026-11-20T21:07:22.990Z' };
const offer = {
    ...byOffer,
    ...byConfiguration,
    state: 'open',
    created_at: '2026-11-20T21:08:00.000Z',
    expires_at: '2026-11-20T21:23:00.000Z',
};
const configurationFields = {
    claims: 'The claims that wallets may expect, each with the path that leads to it.',
    name: 'What wallets show.',
    description: 'What wallets show, at most 1,000 characters.',
};
const offerFields = {
    state: '`open`; `redeemed` when a wallet has spent its code, and `issued` when it has got a credential; `locked` after five wrong transaction codes; `expired`.',
    expires_at: 'Until when the offer can be accepted.',
};

export const exchangeOperations = {
    'configurations.create': {
        refusals: {
            not_found: 'The account has no issuer with this id.',
            conflict: 'The issuer is archived, has a configuration with this id, or has 32 of them.',
        },
        owasp: { objects: 'own', slowedBy: 'rate' },
        fields: configurationFields,
        example: { params: byIssuer, body: described, data: configuration },
    },
    'configurations.list': {
        refusals: { not_found: 'The account has no issuer with this id.' },
        owasp: { objects: 'own' },
        fields: { ...configurationFields, configurations: 'Configurations, by their ids.' },
        example: { params: byIssuer, data: { configurations: [configuration] } },
    },
    'configurations.get': {
        refusals: noConfiguration,
        owasp: { objects: 'own' },
        fields: configurationFields,
        example: { params: byConfiguration, data: configuration },
    },
    'configurations.delete': {
        refusals: noConfiguration,
        owasp: { objects: 'own' },
        example: { params: byConfiguration, data: byConfiguration },
    },
    'offers.create': {
        refusals: {
            ...noConfiguration,
            conflict: 'The issuer is archived.',
            forbidden: 'The account has reached its quota of offers.',
        },
        owasp: { objects: 'own', slowedBy: 'rate' },
        fields: {
            ...offerFields,
            claims: 'The claims of the credential.',
            subject_did: 'Whom the credential is about. Default: the DID of the key in the wallet.',
            expiration_date: 'When the credentials expire, after the end of the offer. Default: they do not.',
            expires_in: 'Seconds for which the offer can be accepted.',
            offer_uri: 'The link. It is shown only once.',
            tx_code:
                'In the request: that the holder must enter a code. In the answer: that code, which is shown only once.',
            description: 'What the wallet tells the holder about the code.',
        },
        example: {
            body: {
                ...byConfiguration,
                claims: { given_name: 'Ada' },
                tx_code: { length: 6, input_mode: 'numeric' },
            },
            data: { ...offer, offer_uri: LINK, tx_code: '493536' },
        },
    },
    'offers.list': {
        owasp: { objects: 'own' },
        fields: { ...offerFields, offers: 'Offers, newest first.' },
        example: { query: { limit: '100' }, data: { offers: [{ ...offer, credential_ids: [] }], total: 1 } },
    },
    'offers.get': {
        refusals: noOffer,
        owasp: { objects: 'own' },
        fields: offerFields,
        example: { params: byOffer, data: { ...offer, credential_ids: [] } },
    },
    'offers.delete': {
        refusals: noOffer,
        owasp: { objects: 'own' },
        example: { params: byOffer, data: byOffer },
    },
} satisfies Record<string, OperationNotes>;
