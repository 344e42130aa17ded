import { invalid } from '../../platform/errors.ts';
import { parseJson } from '../../platform/json.ts';
import type { CreateOfferRequest, TransactionCode } from '../../proto/gen/exchange/v1/exchange.ts';
import {
    DEFAULT_OFFER_SECONDS,
    MAX_CLAIMS_BYTES,
    MAX_OFFER_SECONDS,
    MAX_TX_CODE_DESCRIPTION,
    TX_CODE_LENGTH,
} from '../../proto/limits.ts';
import { claimsFault } from '../../tokens/write-sd-jwt-vc.ts';
import { requireJsonObject } from '../json-object.ts';
import { requireExpiry, requireNewSubject, requireText } from '../texts.ts';

/** What a wallet tells its holder about a transaction code (OpenID4VCI 1.0, section 4.1.1). */
interface TxCodeTerms {
    length: number;
    input_mode: string;
    description?: string;
}

export const DEFAULT_INPUT_MODE = 'numeric';

export interface OfferTerms {
    /** Seconds. */
    expires_in: number;
    tx_code: TxCodeTerms | undefined;
    /** When the credential expires. */
    expiration_date: string | undefined;
}

/** The terms of a new offer, complete. Throws AppError `invalid` for what could not be issued later. */
export function offerTerms(request: CreateOfferRequest): OfferTerms {
    const { claims, subject_did, expiration_date, expires_in = DEFAULT_OFFER_SECONDS, tx_code } = request;
    requireJsonObject('claims', claims, MAX_CLAIMS_BYTES);
    const fault = claimsFault(parseJson(claims, { raw: new Set() }) as Record<string, unknown>); // a JSON object
    if (fault !== undefined) throw invalid(fault);
    if (subject_did !== undefined) requireNewSubject(subject_did);
    const expiresAt = expiration_date === undefined ? undefined : requireExpiry(expiration_date);
    if (expires_in < 1 || expires_in > MAX_OFFER_SECONDS) {
        throw invalid(`expires_in must be from 1 to ${MAX_OFFER_SECONDS}.`);
    }
    return { expires_in, tx_code: tx_code && txCodeTerms(tx_code), expiration_date: expiresAt };
}

/** Throws AppError `invalid` if the credential could expire before the offer, which ends at `end`. */
export function refuseExpired({ expiration_date }: OfferTerms, end: string): void {
    if (expiration_date === undefined || Date.parse(expiration_date) > Date.parse(end)) return;
    throw invalid(`expiration_date must be later than the end of the offer, ${end}.`);
}

function txCodeTerms({
    length = TX_CODE_LENGTH.default,
    input_mode = DEFAULT_INPUT_MODE,
    description,
}: TransactionCode) {
    const { min, max } = TX_CODE_LENGTH;
    if (length < min || length > max) throw invalid(`tx_code.length must be from ${min} to ${max}.`);
    if (input_mode !== 'numeric' && input_mode !== 'text') {
        throw invalid('tx_code.input_mode must be numeric or text.');
    }
    if (description !== undefined) requireText('tx_code.description', description, MAX_TX_CODE_DESCRIPTION);
    return { length, input_mode, ...(description !== undefined && { description }) };
}
