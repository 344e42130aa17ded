import { AppError } from '../errors.ts';
import { type Redis, shardTag } from '../redis/redis.ts';
import type { Traced } from '../telemetry/span.ts';
import { inSpan, startSpan } from '../telemetry/tracing.ts';

/**
 * Liveness marks are what all gateways know, through Redis, about a key or session. The mark is the name of an epoch of
 * Redis's memory (gateway/admission/limit.lua) if the owner has confirmed the key or session in that epoch, within the last
 * minute. It is `R` if the key or session was revoked within the last minute. If there is none, the owner must be
 * asked.
 */
export const LIVENESS_MARK_MS = 60_000;

export type Subject = 'key' | 'session';

export function livenessMarkKey(tag: string, subject: Subject, id: string): string {
    return `mark:${tag}:${subject}:${id}`;
}

interface Target {
    account: string;
    subject: Subject;
    ids: readonly string[];
}

export interface LivenessMarks {
    /**
     * Sets the refused marks of what a transaction is about to revoke. Resolves to the error for the caller after the
     * commit, which happens anyway: none, or `unavailable` as in refuseAnd.
     */
    refuse(target: Target, traced?: Traced): Promise<AppError | undefined>;
    /**
     * Sets the refused mark, revokes with `commit`, and returns the result of that. If Redis is unreachable the commit
     * happens anyway, but the caller gets `unavailable`: until the mark is set, a gateway may still see a live one.
     * Repeating the call sets the mark.
     */
    refuseAnd<Result>(target: Target, commit: () => Promise<Result>, traced?: Traced): Promise<Result>;
}

export function livenessMarks({ redis, shards }: { redis: Redis; shards: number }): LivenessMarks {
    async function refuse({ account, subject, ids }: Target, traced?: Traced): Promise<AppError | undefined> {
        const tag = shardTag(account, shards);
        const setAll = () =>
            Promise.all(ids.map((id) => redis.set(livenessMarkKey(tag, subject, id), 'R', 'PX', LIVENESS_MARK_MS)));
        const span = startSpan('client', 'refused_mark', traced);
        span.attribute('db.system.name', 'redis');
        try {
            await inSpan(span, setAll);
            return undefined;
        } catch (cause) {
            const text = 'It is ended, but not yet known everywhere. Repeat the call to make sure.';
            return new AppError('unavailable', text, { retry_after: 1, cause });
        }
    }

    return {
        refuse,
        async refuseAnd(target, commit, traced) {
            const failure = await refuse(target, traced);
            const result = await commit();
            if (failure) throw failure;
            return result;
        },
    };
}
