import { type CallContext, requireUser } from '../../platform/context.ts';
import { AppError } from '../../platform/errors.ts';
import { isId } from '../../platform/uuid.ts';
import type { Issuer, IssuerKey, PublicKey as PublicKeyMessage } from '../../proto/gen/signing/v1/signing.ts';
import { DID_KEY_SCHEME, decodeDidKey, type PublicKey } from '../../tokens/did-key.ts';
import { decodeP256DidKey, type P256PublicKey } from '../../tokens/p256-did-key.ts';
import { pointOf } from '../../workers/crypto/es256.ts';
import type { IssuerRow, KeyRow, OwnIssuer } from './rows.ts';

/** The issuer that a call of an account names. Throws `not_found` for a malformed id. */
export function ownIssuer(issuerId: string, context: CallContext): OwnIssuer {
    const account = requireUser(context);
    if (!isId(issuerId)) throw unknownIssuer();
    return { account, id: issuerId };
}

/** Throws `not_found` if there is no such issuer. */
export function existing<Row>(row: Row | undefined): Row {
    if (!row) throw unknownIssuer();
    return row;
}

/** An issuer of another account gets the same answer as one that does not exist. */
export function unknownIssuer(): AppError {
    return new AppError('not_found', 'This issuer does not exist.');
}

export function issuerOf(row: IssuerRow, keys: readonly KeyRow[]): Issuer {
    const { id, did, method, name, created_at, archived_at } = row;
    return {
        issuer_id: id,
        did,
        method,
        name,
        created_at,
        archived_at: archived_at ?? undefined,
        keys: keys.map(keyOf),
    };
}

export function keyOf({ kid, alg, created_at, retired_at, compromised_at, reason }: KeyRow): IssuerKey {
    const state = compromised_at !== null ? 'compromised' : retired_at !== null ? 'retired' : 'active';
    return {
        kid,
        alg,
        public_key: publicKeyOf(kid),
        state,
        created_at,
        retired_at: retired_at ?? undefined,
        compromised_at: compromised_at ?? undefined,
        reason: reason ?? undefined,
    };
}

function publicKeyOf(kid: string): PublicKey | P256PublicKey {
    return publicKeyIn(kid) as PublicKey | P256PublicKey; // the service has encoded it
}

/** Returns the key as the members of a JWK need it. */
export function coordinatesOf({ kid, alg }: Pick<KeyRow, 'kid' | 'alg'>): PublicKeyMessage {
    const publicKey = publicKeyOf(kid);
    return alg === 'ES256' ? { kid, alg, ...pointOf(publicKey as P256PublicKey) } : { kid, alg, x: publicKey };
}

/** A kid is the public key in the form of a did:key. Returns undefined for any other text. */
export function publicKeyIn(kid: string): PublicKey | P256PublicKey | undefined {
    return decodeDidKey(DID_KEY_SCHEME + kid) ?? decodeP256DidKey(DID_KEY_SCHEME + kid);
}
