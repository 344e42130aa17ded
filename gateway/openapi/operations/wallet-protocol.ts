import { PRE_AUTHORIZED_CODE, stepOf } from '../../../proto/openid4vci.ts';
import { issuerMetadataOf, serverMetadataOf } from '../../endpoints/exchange/issuer-metadata.ts';
import type { OperationNotes } from '../operation.ts';
import { described, ISSUER_ID } from './exchange.ts';

const CODE = 'EXAMPLEexampleEXAMPLEexampleEXAMPLEexampleE';
const TOKEN = 'EXAMPLEaccessEXAMPLEaccessEXAMPLEaccessEXAM';
const NOTIFICATION_ID = '01a1fac9-1a2b-7000-9c3d-5e6f7a8b9c0d';
const JWT = 'eyJhbGciOiJFUzI1NiIs…';
const issuer = `https://credentials.example/issuers/${ISSUER_ID}`;
const params = { issuer_id: ISSUER_ID };
const claims = described.claims.map((claim) => ({ ...claim, path: claim.path.map(stepOf) }));
const metadata = { credential_issuer: issuer, configurations: [{ ...params, ...described, claims, created_at: '' }] };

export const walletProtocolOperations = {
    'exchange.offer': {
        refusals: { not_found: 'There is no such offer, it has expired, or its issuer is archived.' },
        owasp: { objects: 'public', presents: 'token' },
        fields: {
            secret: 'The last part of the link.',
            credential_configuration_ids: 'What is offered.',
            grants: 'How the wallet gets an access token.',
            [PRE_AUTHORIZED_CODE]: 'The grant of the offer.',
            'pre-authorized_code': 'The code that the wallet exchanges for an access token.',
            tx_code: 'Present if the holder must enter a transaction code.',
            description: 'What the wallet tells the holder about the code.',
        },
        example: {
            params: { ...params, secret: CODE },
            data: {
                credential_issuer: issuer,
                credential_configuration_ids: ['membership'],
                grants: {
                    [PRE_AUTHORIZED_CODE]: {
                        'pre-authorized_code': CODE,
                        tx_code: { length: 6, input_mode: 'numeric' },
                    },
                },
            },
        },
    },
    'exchange.token': {
        owasp: { objects: 'none', presents: 'token', slowedBy: 'rate' },
        fields: {
            grant_type: `\`${PRE_AUTHORIZED_CODE}\`.`,
            'pre-authorized_code': 'The code of the offer.',
            tx_code: 'What the holder has entered, if the offer asks for it.',
            access_token: 'The access token.',
            token_type: '`Bearer` or `DPoP`.',
            expires_in: 'Seconds for which the token can be used.',
        },
        example: {
            params,
            body: { grant_type: PRE_AUTHORIZED_CODE, 'pre-authorized_code': CODE, tx_code: '493536' },
            data: { access_token: TOKEN, token_type: 'Bearer', expires_in: 300 },
        },
    },
    'exchange.nonce': {
        refusals: { not_found: 'The issuer offers nothing.' },
        owasp: { objects: 'none' },
        fields: { c_nonce: 'The nonce.' },
        example: { params, data: { c_nonce: 'EXAMPLEnonceEXAMPLEnonceEXAMPLEnonceEXAMPLEnonceEX' } },
    },
    'exchange.credential': {
        owasp: { objects: 'own part' },
        fields: {
            credential_configuration_id: 'What is offered.',
            credential_identifier: 'Not used: token responses have no identifiers.',
            proofs: 'Proofs of possession, each of another key.',
            jwt: 'JWTs with the type `openid4vci-proof+jwt`.',
            credential_response_encryption: 'Not supported.',
            enc: 'The algorithm of the encryption.',
            credentials: 'The credentials, one for each key.',
            credential: 'A credential in the format of the configuration.',
            notification_id: 'Names the credentials in a notification.',
        },
        example: {
            params,
            body: { credential_configuration_id: 'membership', proofs: { jwt: [JWT] } },
            data: { credentials: [{ credential: JWT }], notification_id: NOTIFICATION_ID },
        },
    },
    'exchange.notification': {
        owasp: { objects: 'own part' },
        fields: {
            notification_id: 'From the answer with the credentials.',
            event: '`credential_accepted`, `credential_failure` or `credential_deleted`.',
        },
        example: {
            params,
            body: { notification_id: NOTIFICATION_ID, event: 'credential_accepted' },
            data: { notification_id: NOTIFICATION_ID },
        },
    },
    'exchange.issuer_metadata': {
        refusals: { not_found: 'The issuer offers nothing.' },
        owasp: { objects: 'public' },
        fields: {
            credential_endpoint: 'Where credentials are issued.',
            nonce_endpoint: 'Where nonces are made.',
            notification_endpoint: 'Where wallets say what became of credentials.',
            batch_credential_issuance: 'Present if each configuration allows several keys.',
            batch_size: 'The least `max_keys` of the configurations.',
            credential_configurations_supported: 'What is offered, by the ids of the configurations.',
        },
        example: { params, data: issuerMetadataOf(metadata) },
    },
    'exchange.server_metadata': {
        refusals: { not_found: 'The issuer offers nothing.' },
        owasp: { objects: 'public' },
        fields: {
            issuer: 'Identifies the issuer.',
            token_endpoint: 'Where access tokens are made.',
            response_types_supported: 'None: there is no authorization endpoint.',
            grant_types_supported: 'The grants of offers.',
            token_endpoint_auth_methods_supported: 'Wallets need no registration.',
            'pre-authorized_grant_anonymous_access_supported': 'Wallets need no registration.',
            dpop_signing_alg_values_supported: 'The algorithms of DPoP proofs.',
        },
        example: { params, data: serverMetadataOf(issuer) },
    },
} satisfies Record<string, OperationNotes>;
