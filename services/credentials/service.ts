import type { CallContext } from '../../platform/context.ts';
import { requireUser } from '../../platform/context.ts';
import { AppError, invalid } from '../../platform/errors.ts';
import type { ServiceOf } from '../../platform/rpc/definition.ts';
import type {
    CredentialsServiceDefinition,
    Revocation,
    RevokeRequest,
    Verification,
    VerifyManyRequest,
    VerifyManyResponse,
    VerifyRequest,
} from '../../proto/gen/credentials/v1/credentials.ts';
import { MAX_PRESENTED_CREDENTIALS } from '../../proto/limits.ts';
import { isToken } from '../../workers/crypto/paseto.ts';
import type { Signatures } from '../../workers/crypto/signatures.ts';
import { requireCredentialId } from '../credential-id.ts';
import { CREDENTIAL_MEMBERS, readPayload } from '../credential-payload.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import { mapInFlight } from '../map-in-flight.ts';
import { outOfTime } from '../times.ts';
import { issue } from './issue.ts';
import { listCredentials } from './list.ts';
import type { CredentialStore, FoundRow } from './rows.ts';
import { requireIssuer, requireReason } from './rules.ts';
import type { ListDependencies } from './view.ts';

export interface CredentialsDependencies extends ListDependencies {
    signatures: Signatures;
    idempotency: Idempotency;
    /** Milliseconds since 1970. */
    clock: () => number;
}

/**
 * Maximum number of tokens of one call that the thread pool checks at a time, so that tokens of other calls get their
 * turn in between.
 */
const CHECKS_IN_FLIGHT = 16;

/** Credentials: issued as v4.public tokens, verified, revoked and listed. */
export function credentialsService(deps: CredentialsDependencies): ServiceOf<typeof CredentialsServiceDefinition> {
    return {
        issue: (request, context) => issue(deps, request, context),
        verify: (request, context) => verify(deps, request, context),
        verifyMany: (request, context) => verifyMany(deps, request, context),
        revoke: (request, context) => revoke(deps, request, context),
        async getStatus({ credential_id }, context) {
            const row = await requireRow(deps.store, requireCredentialId(credential_id), context);
            return revocation(credential_id, row);
        },
        list: (request, context) => listCredentials(deps, request, context),
        async ping() {
            await deps.store.ping();
            return {};
        },
    };
}

async function verify(
    deps: CredentialsDependencies,
    { credential, issuer_did, check_revocation }: VerifyRequest,
    context: CallContext,
): Promise<Verification> {
    if (!isToken(credential)) throw invalid('credential is not a v4.public token.');
    requireIssuer(issuer_did);
    return check(deps, { credential, issuer_did, check_revocation }, context);
}

async function verifyMany(
    deps: CredentialsDependencies,
    { credentials, check_revocation }: VerifyManyRequest,
    context: CallContext,
): Promise<VerifyManyResponse> {
    if (credentials.length > MAX_PRESENTED_CREDENTIALS) {
        throw invalid(`credentials may have at most ${MAX_PRESENTED_CREDENTIALS} items.`);
    }
    return {
        results: await mapInFlight(
            credentials,
            CHECKS_IN_FLIGHT,
            (credential) => check(deps, { credential, check_revocation }, context),
            context,
        ),
    };
}

/** If `issuer_did` is absent, the token is verified with the key of the issuer that it names itself. */
async function check(
    { store, signatures, clock }: CredentialsDependencies,
    {
        credential,
        issuer_did,
        check_revocation,
    }: { credential: string; issuer_did?: string; check_revocation: boolean },
    context: CallContext,
): Promise<Verification> {
    const opened = await signatures.open({ token: credential, did: issuer_did, ...CREDENTIAL_MEMBERS }, context);
    if (!opened.ok) return unauthentic(opened.reason);
    const content = readPayload(opened);
    if ('invalidField' in content)
        return unauthentic(`The token is not a credential: ${content.invalidField} is missing or unfit.`);
    if (issuer_did !== undefined && content.issuer !== issuer_did) {
        return unauthentic('The token names another issuer than the one that signed it.');
    }
    const { credential_id, claims, expires_at, ...shown } = content;
    const expired = expires_at !== undefined && Date.parse(expires_at) <= clock();
    const row = check_revocation ? await store.find(requireCredentialId(credential_id), context) : undefined;
    // The row may be of another issuer's credential, because somebody can create a token elsewhere with the same id.
    // Such a row says nothing about this token.
    const revoked = row?.issuer === content.issuer && row.revoked_at !== null;
    if (revoked || expired) {
        const error = `The credential has ${revoked ? 'been revoked' : 'expired'}.`;
        return { valid: false, ...shown, expires_at, revoked, expired, error };
    }
    const untimely = outOfTime({ nbf: opened.payload['nbf'] }, clock());
    if (untimely !== undefined) {
        return { valid: false, ...shown, expires_at, revoked, expired, error: `The credential ${untimely}.` };
    }
    return { valid: true, ...shown, claims, expires_at, revoked, expired };
}

/** The answer contains nothing from a token that is not authentic. */
function unauthentic(error: string): Verification {
    return { valid: false, revoked: false, expired: false, error };
}

async function revoke(
    { store, services, clock }: CredentialsDependencies,
    { credential_id, issuer_did, reason }: RevokeRequest,
    context: CallContext,
): Promise<Revocation> {
    const id = requireCredentialId(credential_id);
    requireIssuer(issuer_did);
    if (reason !== undefined) requireReason(reason);
    const row = await requireRow(store, id, context);
    if (row.issuer !== issuer_did) throw new AppError('forbidden', 'issuer_did is not the issuer of this credential.');
    if (!(await mayRevoke(row, services.did, context))) {
        throw new AppError('forbidden', 'This account may not revoke this credential.');
    }
    if (row.revoked_at !== null) return revocation(credential_id, row);
    const revokedAt = new Date(clock()).toISOString();
    // If several calls revoke the credential at once, the first one counts, and the others return its revocation.
    const first = await store.revoke({ id, revoked_at: revokedAt, reason }, context);
    return first
        ? { credential_id, revoked: true, revoked_at: revokedAt, reason }
        : revocation(credential_id, await requireRow(store, id, context));
}

/**
 * True for the account that issued the credential, for the owner of the issuer's DID, and for a trusted caller that
 * acts for no account.
 */
async function mayRevoke(
    row: FoundRow,
    did: CredentialsDependencies['services']['did'],
    context: CallContext,
): Promise<boolean> {
    if (context.trusted && context.user_id === undefined) return true;
    if (row.account === requireUser(context)) return true;
    const { dids } = await did.filterOwned({ dids: [row.issuer] }, context);
    return dids.length > 0;
}

async function requireRow(store: CredentialStore, id: string, context: CallContext): Promise<FoundRow> {
    const row = await store.find(id, context);
    if (!row) throw new AppError('not_found', 'This credential does not exist.');
    return row;
}

function revocation(credentialId: string, { revoked_at, revocation_reason }: FoundRow): Revocation {
    if (revoked_at === null) return { credential_id: credentialId, revoked: false };
    return { credential_id: credentialId, revoked: true, revoked_at, reason: revocation_reason ?? undefined };
}
