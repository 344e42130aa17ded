import { makeApiKey } from '../../platform/access/api-key.ts';
import { type KeyMarks, LIVENESS_MARK_MS } from '../../platform/access/liveness-marks.ts';
import type { CallContext } from '../../platform/context.ts';
import { AppError, invalid } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { RotateRequest, RotateResponse } from '../../proto/gen/keys/v1/keys.ts';
import { DEFAULT_OVERLAP_SECONDS, MAX_OVERLAP_SECONDS } from '../../proto/limits.ts';
import { type Claim, openAnswer, sealAnswer } from '../idempotency/claim.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import { quotaExceeded } from '../quotas.ts';
import { generated, type KeyPolicy } from './generate.ts';
import { existing, ownKey } from './own-key.ts';
import { hasExpired } from './restrictions.ts';
import type { Replacement } from './rotate.store.ts';
import type { KeyCounts, KeyRow, OwnKey } from './rows.ts';
import type { KeyStore } from './store.ts';

interface RotateOptions {
    store: KeyStore;
    idempotency: Idempotency;
    livenessMarks: KeyMarks;
    policy: KeyPolicy;
    /** Milliseconds since 1970. */
    clock: () => number;
    mostOf(context: CallContext): KeyCounts;
}

/** Returns the method that replaces an active key by a new one. */
export function rotator(
    options: RotateOptions,
): (request: RotateRequest, context: CallContext) => Promise<RotateResponse> {
    return async (request, context) => {
        const { key_id, overlap_seconds = DEFAULT_OVERLAP_SECONDS } = request;
        if (overlap_seconds > MAX_OVERLAP_SECONDS) {
            throw invalid(`overlap_seconds must be a whole number from 0 to ${MAX_OVERLAP_SECONDS}.`);
        }
        const own = ownKey(key_id, context);
        const call = { operation: 'keys.rotate', codec: RotateRequest, message: request };
        const claim = options.idempotency.claimOf({ ...call, showsSecret: true }, context);
        const write = () => rotate(options, { own, overlapMs: overlap_seconds * 1_000, claim }, context);
        const once = { write, replay: openAnswer(RotateResponse), lookFirst: true };
        return options.idempotency.once(claim, once, context);
    };
}

/** Resolves to undefined if an earlier call holds the claim. */
async function rotate(
    { store, livenessMarks, policy, clock, mostOf }: RotateOptions,
    { own, overlapMs, claim }: { own: OwnKey; overlapMs: number; claim: Claim | undefined },
    context: CallContext,
): Promise<RotateResponse | undefined> {
    const mostAll = mostOf(context).all;
    const { api_key, hash, mask } = makeApiKey(policy);
    const now = clock();
    const successor = { key_id: newId(now), hash, mask, created_at: new Date(now).toISOString() };
    const ends = new Date(now + overlapMs).toISOString();
    const answerOf = (replacement: Replacement): RotateResponse => ({
        key: generated(replacement.successor, api_key),
        replaces: { key_id: own.key_id, expires_at: replacement.ends },
    });
    const answerClaim = claim && {
        ...claim,
        id: successor.key_id,
        made_at: successor.created_at,
        sealed: null,
        seal: (made: Replacement) => sealAnswer(claim, { codec: RotateResponse, message: answerOf(made) }),
    };
    const outcome = await store.rotate(
        { ...own, successor, ends, revokes: overlapMs === 0, mostAll, claim: answerClaim },
        {
            check: (key) => requireActive(key, now),
            full: () => quotaExceeded('API keys, revoked ones included', mostAll),
            beforeCommit: (old) => announce(livenessMarks, { ...own, ...old, overlapMs }, context),
        },
        context,
    );
    return outcome === 'held' ? undefined : answerOf(existing(outcome));
}

/**
 * Tells the gateways which keys have ended, and when the old key ends. Throws `unavailable`, which undoes the rotation, if
 * that matters and fails: an answer 503 after the commit would lose the new key. It does not matter if every gateway asks
 * again before the end.
 */
async function announce(
    livenessMarks: KeyMarks,
    { overlapMs, version, ended, ...own }: OwnKey & { version: number; ended: readonly string[]; overlapMs: number },
    context: CallContext,
): Promise<void> {
    const [notEnded, notChanged] = await Promise.all([
        ended.length > 0 && livenessMarks.refuse({ account: own.account, subject: 'key', ids: ended }, context),
        overlapMs > 0 && livenessMarks.changeVersion({ ...own, version }, context),
    ]);
    const failure = notEnded || (overlapMs <= LIVENESS_MARK_MS && notChanged);
    if (!failure) return;
    throw new AppError('unavailable', 'The API key was not replaced, because gateways could not be told. Try again.', {
        retry_after: 1,
        reason: 'redis',
        cause: failure,
    });
}

function requireActive(key: KeyRow, now: number): void {
    const state = endOf(key, now);
    if (state) throw new AppError('conflict', `This API key ${state}.`);
}

function endOf(key: KeyRow, now: number): string | undefined {
    if (key.replaced_by !== null) return 'has been replaced already';
    if (key.revoked_at !== null) return 'is revoked';
    return hasExpired(key, now) ? 'has expired' : undefined;
}
