import { makeApiKey } from '../../platform/access/api-key.ts';
import { LIVENESS_MARK_MS, type LivenessMarks, type Version } from '../../platform/access/liveness-marks.ts';
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
    livenessMarks: LivenessMarks;
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
        const call = { operation: 'keys.rotate', codec: RotateRequest, message: { key_id, overlap_seconds } };
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
    const announced = await announce(
        { store, livenessMarks },
        { ...own, now: successor.created_at, overlapMs },
        context,
    );
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
        },
        context,
    );
    if (outcome === 'held') return undefined;
    const replacement = existing(outcome);
    // Another change of a key, made at the same time, has taken the version that its mark names. The answer has the new
    // key, so it is given even if Redis fails just now: gateways then learn within a minute that the earlier ones end.
    const missed = replacement.changed.filter(
        ({ id, version }) => !announced.some((told) => told.id === id && told.version === version),
    );
    if (missed.length > 0) await livenessMarks.changeVersions({ ...own, subject: 'key', versions: missed }, context);
    return answerOf(replacement);
}

/**
 * Voids what gateways know of the keys at this place before the transaction changes them, so that no row is locked while
 * Redis answers. Returns the versions that they will have. Throws `unavailable`, so that nothing is rotated, if that
 * fails and matters: an answer 503 after the commit would lose the new key. It does not matter if every gateway asks again
 * before a key ends.
 */
async function announce(
    { store, livenessMarks }: Pick<RotateOptions, 'store' | 'livenessMarks'>,
    { overlapMs, now, ...own }: OwnKey & { now: string; overlapMs: number },
    context: CallContext,
): Promise<readonly Version[]> {
    const versions = await store.versions({ ...own, now }, context);
    existing(versions.find(({ id }) => id === own.key_id));
    const next = versions.map(({ id, version }) => ({ id, version: version + 1 }));
    const failure = await livenessMarks.changeVersions({ ...own, subject: 'key', versions: next }, context);
    const endsSoon = versions.length > 1 || overlapMs <= LIVENESS_MARK_MS;
    if (!failure || !endsSoon) return next;
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
