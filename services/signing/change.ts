import type { CallContext } from '../../platform/context.ts';
import { AppError } from '../../platform/errors.ts';
import {
    type ArchiveIssuerRequest,
    type Issuer,
    type IssuerKey,
    type MarkCompromisedRequest,
    RotateKeyRequest,
    RotateKeyResponse,
} from '../../proto/gen/signing/v1/signing.ts';
import type { KeyAlgorithm } from '../../proto/key-algorithms.ts';
import { type Claim, type HeldClaim, openAnswer, sealAnswer } from '../idempotency/claim.ts';
import { requireText } from '../texts.ts';
import type { SigningDependencies } from './dependencies.ts';
import { comparedAlgorithm, makeKey, requireAlgorithm, rotatedAlgorithm } from './new-key.ts';
import type { IssuerRow, KeyRow, OwnIssuer } from './rows.ts';
import { existing, issuerOf, keyOf, ownIssuer, publicKeyIn } from './view.ts';

/** Maximum number of keys of an issuer, because its DID document lists all that are not compromised. Beyond it: 409. */
const MAX_KEYS = 100;
/**
 * Further keys that an issuer may have if it has no active one for the algorithm, so that a compromise does not end it. Beyond it: 409.
 */
const SPARE_KEYS = 100;
/** Maximum length of the reason of a compromise, in characters. Beyond it: `invalid`. */
const MAX_REASON_LENGTH = 2_000;

/**
 * Replaces the active key of an issuer for an algorithm, or makes the first one. A repeated call with an Idempotency-Key
 * gets the answer of the first one. Resolves when no process signs with the old key any more.
 */
export async function rotateKey(
    deps: SigningDependencies,
    request: RotateKeyRequest,
    context: CallContext,
): Promise<RotateKeyResponse> {
    const own = ownIssuer(request.issuer_id, context);
    const alg = request.alg === undefined ? undefined : requireAlgorithm(request.alg);
    const message = { ...request, alg: comparedAlgorithm(alg) };
    const claim = deps.idempotency.claimOf({ operation: 'issuers.rotate', codec: RotateKeyRequest, message }, context);
    const write = () => rotate(deps, { ...own, alg }, claim, context);
    const open = openAnswer(RotateKeyResponse);
    const replay = async (held: HeldClaim, made: Claim) => {
        const answer = open(held, made);
        // The first call named no algorithm and has made a key of ES256. This one asks for another key.
        if (alg !== undefined && answer.key?.alg !== alg) throw deps.idempotency.conflictOf(made);
        await deps.leasesEnd(); // the first call may still wait for this
        return answer;
    };
    return deps.idempotency.once(claim, { write, replay, lookFirst: true }, context);
}

/** Resolves to undefined if an earlier call holds the claim. */
async function rotate(
    deps: SigningDependencies,
    { alg: named, ...own }: OwnIssuer & { alg: KeyAlgorithm | undefined },
    claim: Claim | undefined,
    context: CallContext,
): Promise<RotateKeyResponse | undefined> {
    const { store, clock, leasesEnd } = deps;
    const issuer = existing(await store.find(own, context));
    const alg = named ?? rotatedAlgorithm(await store.keysOf([own.id], context));
    const check = (row: IssuerRow, keys: readonly KeyRow[]) => requireRotatable(row, keys, alg);
    check(issuer, []); // before a key is generated for nothing
    const { key } = await makeKey(deps, { account: own.account, issuer: own.id, alg }, context);
    const createdAt = new Date(clock()).toISOString();
    const row = {
        kid: key.kid,
        alg,
        issuer: own.id,
        created_at: createdAt,
        retired_at: null,
        compromised_at: null,
        reason: null,
    };
    const answerOf = (previous: string | undefined): RotateKeyResponse => ({ key: keyOf(row), previous });
    const newClaim = claim && {
        ...claim,
        id: own.id,
        made_at: createdAt,
        sealed: null,
        seal: (previous: string | undefined) =>
            sealAnswer(claim, { codec: RotateKeyResponse, message: answerOf(previous) }),
    };
    const rotation = { ...own, key, created_at: createdAt, mostKeys: MAX_KEYS + SPARE_KEYS, claim: newClaim };
    const outcome = await store.rotate(rotation, check, context);
    if (outcome === 'held') return undefined;
    const { previous } = existing(outcome === 'missing' ? undefined : outcome);
    await leasesEnd();
    return answerOf(previous);
}

function requireRotatable({ method, archived_at }: IssuerRow, keys: readonly KeyRow[], alg: KeyRow['alg']): void {
    if (method === 'key') {
        throw new AppError('conflict', 'A did:key is its key, so it cannot be rotated. Create another issuer.');
    }
    if (archived_at !== null) throw archived();
    const hasActive = keys.some((key) => key.alg === alg && key.retired_at === null && key.compromised_at === null);
    if (keys.length >= (hasActive ? MAX_KEYS : MAX_KEYS + SPARE_KEYS))
        throw new AppError('conflict', `An issuer may have ${MAX_KEYS} keys.`);
}

/** Resolves when every process refuses what the key has signed. A key that is compromised already stays as it is. */
export async function markCompromised(
    { store, clock, leasesEnd }: SigningDependencies,
    { issuer_id, kid, reason }: MarkCompromisedRequest,
    context: CallContext,
): Promise<IssuerKey> {
    const own = ownIssuer(issuer_id, context);
    if (!publicKeyIn(kid)) throw noSuchKey();
    if (reason !== undefined) requireText('reason', reason, MAX_REASON_LENGTH);
    const issuer = existing(await store.find(own, context));
    if (issuer.method === 'key') {
        const text =
            'A did:key is its key, so verifiers cannot learn of this. Archive the issuer and revoke its credentials.';
        throw new AppError('conflict', text);
    }
    const at = new Date(clock()).toISOString();
    const row = await store.markCompromised({ ...own, kid, at, reason }, context);
    if (!row) throw noSuchKey();
    await leasesEnd();
    return keyOf(row);
}

/** Resolves when no process signs for the issuer any more. An issuer that is archived already stays as it is. */
export async function archiveIssuer(
    { store, clock, leasesEnd }: SigningDependencies,
    { issuer_id }: ArchiveIssuerRequest,
    context: CallContext,
): Promise<Issuer> {
    const own = ownIssuer(issuer_id, context);
    const row = existing(await store.archive({ ...own, at: new Date(clock()).toISOString() }, context));
    await leasesEnd();
    return issuerOf(row, await store.keysOf([row.id], context));
}

function noSuchKey(): AppError {
    return new AppError('not_found', 'This issuer has no such key.');
}

function archived(): AppError {
    return new AppError('conflict', 'This issuer is archived.');
}
