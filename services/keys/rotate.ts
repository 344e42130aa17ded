import { makeApiKey } from '../../platform/access/api-key.ts';
import { type KeyMarks, LIVENESS_MARK_MS } from '../../platform/access/liveness-marks.ts';
import type { CallContext } from '../../platform/context.ts';
import { AppError, invalid } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { RotateRequest, RotateResponse } from '../../proto/gen/keys/v1/keys.ts';
import { DEFAULT_OVERLAP_SECONDS, MAX_OVERLAP_SECONDS } from '../../proto/limits.ts';
import { quotaExceeded } from '../quotas.ts';
import { generated, type KeyPolicy } from './generate.ts';
import { existing, ownKey } from './own-key.ts';
import { hasExpired } from './restrictions.ts';
import type { KeyCounts, KeyRow, OwnKey } from './rows.ts';
import type { KeyStore } from './store.ts';

interface RotateOptions {
    store: KeyStore;
    livenessMarks: KeyMarks;
    policy: KeyPolicy;
    /** Milliseconds since 1970. */
    clock: () => number;
    mostOf(context: CallContext): KeyCounts;
}

/** Returns the method that replaces an active key by a new one. */
export function rotator({
    store,
    livenessMarks,
    policy,
    clock,
    mostOf,
}: RotateOptions): (request: RotateRequest, context: CallContext) => Promise<RotateResponse> {
    return async ({ key_id, overlap_seconds = DEFAULT_OVERLAP_SECONDS }, context) => {
        if (overlap_seconds > MAX_OVERLAP_SECONDS) {
            throw invalid(`overlap_seconds must be a whole number from 0 to ${MAX_OVERLAP_SECONDS}.`);
        }
        const own = ownKey(key_id, context);
        const mostAll = mostOf(context).all;
        const { api_key, hash, mask } = makeApiKey(policy);
        const now = clock();
        const overlapMs = overlap_seconds * 1_000;
        const successor = { key_id: newId(now), hash, mask, created_at: new Date(now).toISOString() };
        const ends = new Date(now + overlapMs).toISOString();
        const replacement = await store.rotate(
            { ...own, successor, ends, revokes: overlapMs === 0, mostAll },
            {
                check: (key) => requireActive(key, now),
                full: () => quotaExceeded('API keys, revoked ones included', mostAll),
                beforeCommit: (version) => announce(livenessMarks, { ...own, version, overlapMs }, context),
            },
            context,
        );
        const { successor: created, ends: ended } = existing(replacement);
        return { key: generated(created, api_key), replaces: { key_id, expires_at: ended } };
    };
}

/**
 * Tells the gateways when the old key ends. Throws `unavailable`, which undoes the rotation, if that matters and fails:
 * an answer 503 after the commit would lose the new key. It does not matter if every gateway asks again before the end.
 */
async function announce(
    livenessMarks: KeyMarks,
    { overlapMs, version, ...own }: OwnKey & { version: number; overlapMs: number },
    context: CallContext,
): Promise<void> {
    const failure =
        overlapMs === 0
            ? await livenessMarks.refuse({ account: own.account, subject: 'key', ids: [own.key_id] }, context)
            : await livenessMarks.changeVersion({ ...own, version }, context);
    if (failure === undefined || overlapMs > LIVENESS_MARK_MS) return;
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
