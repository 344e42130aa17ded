import { isIP } from 'node:net';
import { type CallContext, requireUser, withoutIdempotencyKey } from '../../platform/context.ts';
import { invalid } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { CreateIssuerRequest, Issuer } from '../../proto/gen/signing/v1/signing.ts';
import { isIssuerWebDid } from '../../tokens/web-did.ts';
import { type Claim, openAnswer, sealAnswer } from '../idempotency/claim.ts';
import { quotaExceeded, quotaOf } from '../quotas.ts';
import { requireName } from '../texts.ts';
import type { SigningDependencies } from './dependencies.ts';
import { comparedAlgorithm, makeKey, requireAlgorithm } from './new-key.ts';
import type { IssuerRow, KeyRow, Method, NewIssuer } from './rows.ts';
import { issuerOf } from './view.ts';

/** Creates an issuer with its first key. A repeated call gets the answer of the first one. */
export async function createIssuer(
    deps: SigningDependencies,
    request: CreateIssuerRequest,
    context: CallContext,
): Promise<Issuer> {
    const account = requireUser(context);
    const method = requireMethod(deps, request.method);
    const named = { account, name: requireName(request.name), method, alg: requireAlgorithm(request.alg) };
    if (method === 'key' && named.alg !== 'EdDSA') throw invalid('alg must be EdDSA: a did:key signs PASETO tokens.');
    const message = { ...request, name: named.name, alg: comparedAlgorithm(named.alg) };
    const call = { operation: 'issuers.create', codec: CreateIssuerRequest, message };
    const claim = deps.idempotency.claimOf(call, context);
    const write = () => written(deps, named, claim, context);
    return deps.idempotency.once(claim, { write, replay: openAnswer(Issuer), lookFirst: true }, context);
}

/** Creates the issuer. Resolves to undefined if an earlier call holds the claim. */
async function written(
    deps: SigningDependencies,
    named: IssuerWish & { account: string },
    claim: Claim | undefined,
    context: CallContext,
): Promise<Issuer | undefined> {
    const quota = quotaOf(deps.quota, context);
    const created = await newIssuer(deps, named, context);
    const { issuer, key } = created;
    const keyRow = { kid: key.kid, alg: key.alg, issuer: issuer.id, created_at: issuer.created_at };
    const unused = { retired_at: null, compromised_at: null, reason: null };
    const answer = issuerOf({ ...issuer, archived_at: null }, [{ ...keyRow, ...unused }]);
    const sealed = claim && sealAnswer(claim, { codec: Issuer, message: answer });
    const newClaim = claim && { ...claim, id: issuer.id, made_at: issuer.created_at, sealed: sealed ?? null };
    const outcome = await deps.store.insert({ ...created, quota, claim: newClaim }, context);
    if (outcome === 'refused') throw quotaExceeded('issuers, archived ones included', quota);
    return outcome === 'written' ? answer : undefined;
}

/** An issuer as it is asked for. `account` is null for the service itself. */
type IssuerWish = Pick<IssuerRow, 'account' | 'name' | 'method'> & Pick<KeyRow, 'alg'>;

/** Generates the key of a new issuer, and seals it. */
export async function newIssuer(
    deps: Pick<SigningDependencies, 'signatures' | 'seals' | 'services' | 'publicUrl' | 'clock'>,
    { account, name, method, alg }: IssuerWish,
    context: CallContext,
): Promise<Pick<NewIssuer, 'issuer' | 'key'>> {
    const now = deps.clock();
    const id = newId(now);
    const { did: keyDid, public_key, key } = await makeKey(deps, { account, issuer: id, alg }, context);
    const did = (method === 'web' && webDid(deps.publicUrl, id)) || keyDid;
    // Records a did:key first, so that its owner can resolve it and sees what names it. A recorded DID without an issuer
    // does no harm.
    if (method === 'key' && account !== null) {
        await deps.services.did.recordForWallet({ public_key }, withoutIdempotencyKey(context));
    }
    return { issuer: { id, account, did, method, name, created_at: new Date(now).toISOString() }, key };
}

function requireMethod({ publicUrl }: SigningDependencies, text: string): Method {
    if (text !== 'key' && text !== 'web') throw invalid('method must be key or web.');
    if (text === 'web' && !isIssuerWebDid(webDid(publicUrl, newId()) ?? '')) {
        throw invalid('method must be key: the PUBLIC_URL of this service has no form that did:web allows.');
    }
    return text;
}

/**
 * Returns the DID whose document is at `/issuers/<id>/did.json` below the public URL; undefined if there is no public URL,
 * or if it has no host name: the method did:web allows no IP addresses.
 */
function webDid(publicUrl: string | undefined, id: string): string | undefined {
    if (publicUrl === undefined) return undefined;
    const { host, hostname, pathname } = new URL(publicUrl);
    if (isIP(hostname) !== 0 || hostname.startsWith('[')) return undefined;
    const path = pathname.split('/').filter((part) => part !== '');
    return ['did', 'web', host.replace(':', '%3A'), ...path, 'issuers', id].join(':');
}
