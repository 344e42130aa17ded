import { Metadata } from '@grpc/grpc-js';
import { readNetwork } from '../../../platform/access/networks.ts';
import { type CallContext, ownContext } from '../../../platform/context.ts';
import { newId } from '../../../platform/ids.ts';
import { callers } from '../../../platform/rpc/callers.ts';
import { contextFromMetadata } from '../../../platform/rpc/unary.ts';
import { requireCredentialId } from '../../../services/credential-id.ts';
import {
    requireCredentialType,
    requireIssuer,
    requireReason,
    requireSdJwtIssuer,
} from '../../../services/credentials/rules.ts';
import { cursors } from '../../../services/cursors.ts';
import { isConfigurationId } from '../../../services/exchange/rules.ts';
import { splitJwt } from '../../../services/exchange/wallet/jwt.ts';
import { requireAccountId } from '../../../services/identity/user.ts';
import { requireChange, requireRestrictions, requireScope } from '../../../services/keys/restrictions.ts';
import { requireAlgorithm } from '../../../services/signing/new-key.ts';
import { requireExpiry, requireNewSubject, requireSubject } from '../../../services/texts.ts';
import { isTier, requireTier } from '../../../services/tiers.ts';
import { requirePage } from '../../../services/wallet/list.ts';
import { requirePassword } from '../../../services/wallet/unlock.ts';
import { requireWebhookUrl } from '../../../services/webhooks/sender/url.ts';
import { isCredentialType } from '../../../tokens/credential.ts';
import { decodeP256DidKey } from '../../../tokens/p256-did-key.ts';
import { isText, isUri } from '../../../tokens/texts.ts';
import { isVct } from '../../../tokens/write-sd-jwt-vc.ts';
import { keyPairFrom, publicKeyFrom } from '../../../workers/crypto/ed25519.ts';
import { attempt, filled, letters, MIB, type Parser } from './parser-inputs.ts';

const METADATA = 15 << 10;
const repeated = (unit: string, before = '') => filled(before, unit);
const texts = { letters: repeated('a'), 'two-byte letters': repeated('é'), digits: repeated('1') };
const dids = { ...texts, 'a did:key': repeated('z', 'did:key:z6Mk'), escapes: repeated('%41', 'did:web:') };
const times = { ...texts, fractions: repeated('1', '2026-01-01T00:00:00.') };
const tokens = { letters: repeated('a'), blanks: repeated(' ', 'Bearer'), bearer: repeated('a', 'Bearer ') };

const identify = callers({
    serviceTokens: ['token'],
    serviceCallers: {},
    dispatch: async (_, request) => request,
});
const NO_CHANGE = { clear_expires_at: false, clear_scopes: false, clear_allowed_addresses: false };
const TEST_SECRETS = ['a service token of this test'] as const;
const keyedCursors = cursors(TEST_SECRETS);
const ACCOUNT = newId();
const WALLET = newId();

function metadataOf(name: string, value: string): Metadata {
    const metadata = new Metadata();
    metadata.set(name, value);
    return metadata;
}

/** Functions that check one text against a rule. Most of them are called by other functions in PARSERS. */
export const RULE_PARSERS: readonly Parser[] = [
    {
        at: 'platform/rpc/callers.ts:callers',
        longest: METADATA,
        worst: tokens,
        run: (text) => identify(metadataOf('authorization', text)),
    },
    {
        at: 'platform/access/networks.ts:readNetwork',
        longest: MIB,
        worst: { ...texts, colons: repeated(':'), zeros: repeated('0', '1') },
        run: readNetwork,
    },
    {
        at: 'services/keys/restrictions.ts:requireRestrictions',
        longest: MIB,
        worst: times,
        run: (text) => attempt(() => requireRestrictions({ expires_at: text, scopes: [], allowed_addresses: [] }, 0)),
    },
    {
        at: 'services/keys/restrictions.ts:requireChange',
        longest: MIB,
        worst: texts,
        run: (text) => attempt(() => requireChange({ ...NO_CHANGE, scopes: [text], allowed_addresses: [text] }, 0)),
    },
    {
        at: 'platform/rpc/unary.ts:contextFromMetadata',
        longest: METADATA,
        worst: texts,
        run: (text) => {
            const call = { metadata: metadataOf('x-request-id', text), getDeadline: () => Number.POSITIVE_INFINITY };
            return contextFromMetadata(call as never); // only the members that it reads
        },
    },
    {
        at: 'services/exchange/wallet/jwt.ts:splitJwt',
        longest: MIB,
        worst: { ...texts, dots: repeated('.'), braces: repeated('W1tb', 'e30.') },
        run: (text) => splitJwt(text, 'dpop+jwt'),
    },
    { at: 'services/credential-id.ts:requireCredentialId', longest: MIB, worst: texts, run: requireCredentialId },
    { at: 'tokens/credential.ts:isCredentialType', longest: MIB, worst: texts, run: isCredentialType },
    { at: 'services/credentials/rules.ts:requireIssuer', longest: MIB, worst: dids, run: requireIssuer },
    { at: 'services/credentials/rules.ts:requireSdJwtIssuer', longest: MIB, worst: dids, run: requireSdJwtIssuer },
    { at: 'services/texts.ts:requireSubject', longest: MIB, worst: dids, run: requireSubject },
    { at: 'services/texts.ts:requireNewSubject', longest: MIB, worst: dids, run: requireNewSubject },
    {
        at: 'services/credentials/rules.ts:requireCredentialType',
        longest: MIB,
        worst: texts,
        run: requireCredentialType,
    },
    { at: 'services/credentials/rules.ts:requireReason', longest: MIB, worst: texts, run: requireReason },
    { at: 'services/texts.ts:requireExpiry', longest: MIB, worst: times, run: requireExpiry },
    {
        at: 'services/cursors.ts:open',
        longest: MIB,
        worst: texts,
        run: (text) => keyedCursors.open(text, { list: 'keys', account: ACCOUNT }),
    },
    {
        at: 'services/identity/user.ts:requireAccountId',
        longest: MIB,
        worst: texts,
        run: (text) => requireAccountId({ user_id: text } as CallContext), // only the members that it reads
    },
    { at: 'services/exchange/rules.ts:isConfigurationId', longest: MIB, worst: texts, run: isConfigurationId },
    { at: 'tokens/texts.ts:isUri', longest: MIB, worst: texts, run: isUri },
    { at: 'tokens/write-sd-jwt-vc.ts:isVct', longest: MIB, worst: texts, run: isVct },
    { at: 'tokens/texts.ts:isText', longest: MIB, worst: texts, run: (text) => isText(text, 255) },
    { at: 'services/keys/restrictions.ts:requireScope', longest: MIB, worst: texts, run: requireScope },
    { at: 'services/tiers.ts:isTier', longest: MIB, worst: texts, run: isTier },
    { at: 'services/tiers.ts:requireTier', longest: MIB, worst: texts, run: requireTier },
    {
        at: 'services/wallet/list.ts:requirePage',
        longest: MIB,
        worst: texts,
        run: (text) => {
            const request = { wallet_id: WALLET, password: '', limit: 1, with_total: false, with_tokens: false };
            requirePage(keyedCursors, { ...request, cursor: text }, ownContext());
        },
    },
    {
        at: 'services/webhooks/sender/url.ts:requireWebhookUrl',
        longest: MIB,
        worst: {
            ...texts,
            dots: repeated('.', 'https://a'),
            escapes: repeated('%41', 'https://'),
            path: repeated('€', 'https://a/'),
        },
        run: (text) => attempt(() => requireWebhookUrl(text, () => false)),
    },
    {
        at: 'services/signing/new-key.ts:requireAlgorithm',
        longest: MIB,
        worst: texts,
        run: (text) => attempt(() => requireAlgorithm(text)),
    },
    { at: 'services/wallet/unlock.ts:requirePassword', longest: MIB, worst: texts, run: requirePassword },
    {
        at: 'tokens/p256-did-key.ts:decodeP256DidKey',
        longest: MIB,
        worst: { ...letters, digits: filled('did:key:zDnae', 'z') },
        run: decodeP256DidKey,
    },
    {
        at: 'workers/crypto/ed25519.ts:keyPairFrom',
        longest: MIB,
        worst: texts,
        run: (text) => keyPairFrom(Buffer.from(text)),
    },
    {
        at: 'workers/crypto/ed25519.ts:publicKeyFrom',
        longest: MIB,
        worst: texts,
        run: (text) => publicKeyFrom(Buffer.from(text)),
    },
];
