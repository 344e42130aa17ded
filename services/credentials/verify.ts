import type { CallContext } from '../../platform/context.ts';
import { invalid } from '../../platform/errors.ts';
import type {
    Verification,
    VerifyManyRequest,
    VerifyManyResponse,
    VerifyRequest,
} from '../../proto/gen/credentials/v1/credentials.ts';
import { MAX_PRESENTED_CREDENTIALS } from '../../proto/limits.ts';
import { CREDENTIAL_MEMBERS } from '../../tokens/credential.ts';
import { uuidOf } from '../../tokens/credential-id.ts';
import { authenticCredential, credentialVerdict, unauthentic } from '../../tokens/credential-verdict.ts';
import { isSdJwt } from '../../tokens/sd-jwt.ts';
import { sdJwtVcVerdict } from '../../tokens/sd-jwt-vc.ts';
import { isToken } from '../../tokens/v4-public.ts';
import { isIssuerWebDid } from '../../tokens/web-did.ts';
import { requireCredentialId } from '../credential-id.ts';
import { mapInFlight } from '../map-in-flight.ts';
import { type ItemContext, requireItems } from './batches.ts';
import type { CredentialsDependencies } from './dependencies.ts';
import { notAnIssuer, requireIssuer, requireSdJwtIssuer } from './rules.ts';

/**
 * Maximum number of credentials of one presentation that the thread pool checks at a time, so that tokens of other
 * calls get their turn in between. Beyond it: the next one waits.
 */
const CHECKS_IN_FLIGHT = 16;

/** A token to check. If `issuer_did` is absent, the token is verified with the key of the issuer that it names itself. */
interface Check {
    credential: string;
    issuer_did?: string | undefined;
    check_revocation: boolean;
}

export async function verify(
    deps: CredentialsDependencies,
    { credential, issuer_did = '', check_revocation }: VerifyRequest,
    context: CallContext,
): Promise<Verification> {
    return checkOne(deps, { credential, issuer_did, check_revocation }, context);
}

export async function verifyMany(
    deps: CredentialsDependencies,
    { credentials, check_revocation, items }: VerifyManyRequest,
    context: CallContext,
): Promise<VerifyManyResponse> {
    if (items.length > 0) {
        if (credentials.length > 0) throw invalid('Only one of credentials and items may be given.');
        requireItems('items', items);
        const batch = { method: 'verify', items, context } as const;
        const checkItem = (item: VerifyRequest, own: ItemContext) =>
            checkOne(deps, { ...item, check_revocation: check_revocation || item.check_revocation }, own);
        return { results: [], item_results: await deps.batches.run(batch, checkItem) };
    }
    if (credentials.length > MAX_PRESENTED_CREDENTIALS) {
        throw invalid(`credentials may have at most ${MAX_PRESENTED_CREDENTIALS} items.`);
    }
    const checkPresented = (credential: string) => check(deps, { credential, check_revocation }, context);
    return { results: await mapInFlight(credentials, CHECKS_IN_FLIGHT, checkPresented, context), item_results: [] };
}

/** Throws AppError `invalid` if the text is no token, or if the issuer's DID has no key. */
async function checkOne(
    deps: CredentialsDependencies,
    request: Check,
    context: CallContext | ItemContext,
): Promise<Verification> {
    const { credential, issuer_did } = request;
    if (!isToken(credential) && !isSdJwt(credential)) {
        throw invalid('credential is neither a v4.public token nor an SD-JWT.');
    }
    if (issuer_did !== undefined) {
        (isSdJwt(credential) ? requireSdJwtIssuer : requireIssuer)(issuer_did);
        await requireKnownIssuer(deps, issuer_did, context);
    }
    return isSdJwt(credential) ? checkSdJwt(deps, request, context) : check(deps, request, context);
}

/** Throws AppError `invalid` if the DID is a did:web of no issuer here. No other is ever fetched. */
async function requireKnownIssuer(
    { webKeys }: CredentialsDependencies,
    did: string,
    context: CallContext,
): Promise<void> {
    if (isIssuerWebDid(did) && !(await webKeys.find(did, context))) throw notAnIssuer();
}

async function check(
    { store, signatures, webKeys, clock }: CredentialsDependencies,
    { credential, issuer_did, check_revocation }: Check,
    context: CallContext | ItemContext,
): Promise<Verification> {
    const opened = await signatures.open(
        { token: credential, did: issuer_did, byKid: true, ...CREDENTIAL_MEMBERS },
        context,
    );
    const authentic = authenticCredential(opened, issuer_did);
    if ('fault' in authentic) return unauthentic(authentic.fault);
    const fault = await webKeys.fault({ did: authentic.issuer, kid: authentic.kid }, context);
    if (fault !== undefined) return unauthentic(fault);
    const row = check_revocation ? await store.find(requireCredentialId(authentic.credential_id), context) : undefined;
    // The row may be of another issuer's credential, because somebody can create a token elsewhere with the same id.
    // Such a row says nothing about this token.
    const revoked = row?.issuer === authentic.issuer && row.revoked_at !== null;
    return credentialVerdict(authentic, { revoked, now: clock() });
}

async function checkSdJwt(
    { store, signatures, webKeys, clock }: CredentialsDependencies,
    { credential: token, issuer_did: did, check_revocation }: Check,
    context: CallContext | ItemContext,
): Promise<Verification> {
    const opened = await signatures.openSdJwt({ token, did }, context);
    if (!opened.ok) return unauthentic(opened.reason);
    const { issuer, kid, credential_id = '' } = opened.credential;
    const fault = await webKeys.fault({ did: issuer, kid }, context);
    if (fault !== undefined) return unauthentic(fault);
    const id = check_revocation ? uuidOf(credential_id) : undefined;
    const row = id === undefined ? undefined : await store.find(id, context);
    const revoked = row?.issuer === issuer && row.revoked_at !== null; // as in check()
    const { disclosed, ...verdict } = sdJwtVcVerdict(opened.credential, { revoked, now: clock() });
    return { ...verdict, disclosed: disclosed && { pointers: [...disclosed] } };
}
