import { type CallContext, requireUser } from '../../platform/context.ts';
import { newId } from '../../platform/ids.ts';
import { isId } from '../../platform/uuid.ts';
import type { ListOffersRequest, ListOffersResponse } from '../../proto/gen/exchange/v1/exchange.ts';
import { CreateOfferRequest, CreateOfferResponse, type Offer } from '../../proto/gen/exchange/v1/exchange.ts';
import type { Issuer } from '../../proto/gen/signing/v1/signing.ts';
import { DEFAULT_OFFER_SECONDS, TX_CODE_LENGTH } from '../../proto/limits.ts';
import { type Claim, openAnswer, sealAnswer } from '../idempotency/claim.ts';
import type { NewClaim } from '../idempotency/claims.store.ts';
import { onePage, totalOf } from '../paging.ts';
import { quotaExceeded, quotaOf } from '../quotas.ts';
import type { ExchangeDependencies } from './dependencies.ts';
import { DEFAULT_INPUT_MODE, type OfferTerms, offerTerms, refuseExpired } from './offer-terms.ts';
import type { NewOffer } from './offers.store.ts';
import { type OfferRow, offerOf } from './rows.ts';
import {
    offeringIssuer,
    ownConfiguration,
    ownOffer,
    refuseWithoutKey,
    unknownConfiguration,
    unknownOffer,
} from './rules.ts';
import { codeOf, hashOf, newSecret, newTxCode, sealFor, subjectHashOf, txHashOf } from './secrets.ts';

/** Offers a credential. A repeated call gets the answer of the first one. */
export async function createOffer(
    deps: ExchangeDependencies,
    request: CreateOfferRequest,
    context: CallContext,
): Promise<CreateOfferResponse> {
    requireUser(context);
    const terms = offerTerms(request);
    const call = { operation: 'offers.create', codec: CreateOfferRequest, message: compared(request, terms) };
    const claim = deps.idempotency.claimOf({ ...call, showsSecret: true }, context);
    const write = () => written(deps, { request, terms, claim }, context);
    return deps.idempotency.once(claim, { write, replay: openAnswer(CreateOfferResponse), lookFirst: true }, context);
}

/** A request as it is compared with the one of an earlier call: each value in one form, and no default. */
function compared(
    request: CreateOfferRequest,
    { expires_in, expiration_date, tx_code }: OfferTerms,
): CreateOfferRequest {
    return {
        ...request,
        expiration_date,
        expires_in: expires_in === DEFAULT_OFFER_SECONDS ? undefined : expires_in,
        tx_code: tx_code && {
            length: tx_code.length === TX_CODE_LENGTH.default ? undefined : tx_code.length,
            input_mode: tx_code.input_mode === DEFAULT_INPUT_MODE ? undefined : tx_code.input_mode,
            description: tx_code.description,
        },
    };
}

/** What is offered. */
interface Offering {
    request: CreateOfferRequest;
    terms: OfferTerms;
}

/** Writes the offer. Resolves to undefined if an earlier call holds the claim. */
async function written(
    deps: ExchangeDependencies,
    { claim, ...offering }: Offering & { claim: Claim | undefined },
    context: CallContext,
): Promise<CreateOfferResponse | undefined> {
    const { issuer_id, configuration_id } = offering.request;
    const by = await offeringIssuer(deps, issuer_id, context);
    refuseWithoutKey(by.issuer);
    const own = ownConfiguration(issuer_id, configuration_id, context);
    const isKnown = async () => (await deps.configurations.find(own, context)) !== undefined;
    if (!(await isKnown())) throw unknownConfiguration();
    const { offer, answer } = newOffer(deps, { ...offering, ...by }, context);
    const quota = quotaOf(deps.quota, context);
    const outcome = await deps.offers.insert(
        { offer, quota, claim: claim && storedClaim(claim, offer, answer) },
        context,
    );
    if (outcome === 'refused') throw (await isKnown()) ? quotaExceeded('offers', quota) : unknownConfiguration();
    return outcome === 'written' ? answer : undefined;
}

/** Makes an offer with new secrets: its row, and the answer, which alone has the link and the transaction code. */
function newOffer(
    { pepper, clock }: ExchangeDependencies,
    { request, terms, issuer, identifier }: Offering & { issuer: Issuer; identifier: string },
    context: CallContext,
): { offer: NewOffer['offer']; answer: CreateOfferResponse } {
    const now = clock();
    const secret = newSecret();
    const code = codeOf(secret);
    const txCode = terms.tx_code && newTxCode(terms.tx_code);
    const row = {
        id: newId(now),
        issuer: request.issuer_id,
        configuration: request.configuration_id,
        created_at: new Date(now).toISOString(),
        expires_at: new Date(now + terms.expires_in * 1_000).toISOString(),
    };
    refuseExpired(terms, row.expires_at);
    const plain = CreateOfferRequest.encode(request).finish();
    const sealed = sealFor(row.id, plain, { secret: code, pepper });
    plain.fill(0);
    const offer = {
        ...row,
        ...makerOf(context),
        issuer_did: issuer.did,
        secret_hash: hashOf(secret),
        code_hash: hashOf(code),
        sealed,
        subject_hash: request.subject_did === undefined ? undefined : subjectHashOf(request.subject_did, pepper),
        tx_code: terms.tx_code && JSON.stringify(terms.tx_code),
        tx_hash: txCode === undefined ? undefined : txHashOf(txCode, { code, pepper }),
    };
    const unused = { code_used_at: null, token_expires_at: null, tx_failures: 0, notification: null, credentials: [] };
    const shown = offerOf({ ...row, ...unused }, now);
    return { offer, answer: { offer: shown, offer_uri: offerUri(identifier, secret), tx_code: txCode } };
}

/** Who makes an offer. */
function makerOf(context: CallContext) {
    const { key_id, session_id, tier } = context;
    return { account: requireUser(context), api_key: idIn(key_id), session: idIn(session_id), tier };
}

/** The claim as it is stored, with the answer for repeated calls. */
function storedClaim(claim: Claim, { id, created_at }: NewOffer['offer'], answer: CreateOfferResponse): NewClaim {
    return {
        ...claim,
        id,
        made_at: created_at,
        sealed: sealAnswer(claim, { codec: CreateOfferResponse, message: answer }),
    };
}

/** Callers of gRPC may name anything as their key or session. */
function idIn(text: string | undefined): string | undefined {
    return text !== undefined && isId(text) ? text : undefined;
}

/** The link with which a wallet fetches the offer (OpenID4VCI 1.0, section 4.1.3). */
function offerUri(identifier: string, secret: string): string {
    const uri = encodeURIComponent(`${identifier}/offers/${secret}`);
    return `openid-credential-offer://?credential_offer_uri=${uri}`;
}

export async function listOffers(
    { offers, cursors, clock }: ExchangeDependencies,
    request: ListOffersRequest,
    context: CallContext,
): Promise<ListOffersResponse> {
    const account = requireUser(context);
    const { page, next_cursor } = await onePage(request, {
        cursors,
        scope: { list: 'offers', account },
        idOf: ({ id }: OfferRow) => id,
        rows: (range) => offers.list({ account, ...range }, context),
    });
    const seen = { rows: page.length, more: next_cursor !== undefined };
    const total = await totalOf(request, seen, () => offers.count(account, context));
    const now = clock();
    return { offers: page.map((row) => offerOf(row, now)), next_cursor, total };
}

export async function getOffer(
    { offers, clock }: ExchangeDependencies,
    { offer_id }: { offer_id: string },
    context: CallContext,
): Promise<Offer> {
    const row = await offers.find(ownOffer(offer_id, context), context);
    if (!row) throw unknownOffer();
    return offerOf(row, clock());
}

export async function deleteOffer(
    { offers }: ExchangeDependencies,
    { offer_id }: { offer_id: string },
    context: CallContext,
): Promise<{ offer_id: string }> {
    if (!(await offers.remove(ownOffer(offer_id, context), context))) throw unknownOffer();
    return { offer_id };
}
