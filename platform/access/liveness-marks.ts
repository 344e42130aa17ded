import type { CallLifetime } from '../context.ts';
import { AppError } from '../errors.ts';
import { type Redis, shardTag } from '../redis/redis.ts';
import { inSpan, startSpan } from '../telemetry/tracing.ts';

/**
 * Lifetime of a liveness mark, in milliseconds. A liveness mark tells all gateways, through Redis, whether a key or
 * session is live. Its value is the name of the current epoch (gateway/admission/limit.lua) if the owning service has
 * confirmed the key or session in that epoch within the last minute. Its value is `R` if the key or session was revoked
 * within the last minute. Without a liveness mark, the gateway must ask the owning service.
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
     * Sets the liveness marks of keys or sessions to `R`, before a transaction revokes them. The caller commits the
     * transaction in any case. Resolves to undefined, or to the error `unavailable`, which the caller may throw after
     * the commit as refuseAnd does.
     */
    refuse(target: Target, lifetime?: CallLifetime): Promise<AppError | undefined>;
    /**
     * Sets the liveness mark to `R`, revokes with `commit`, and returns the result of `commit`. If Redis is
     * unreachable, it commits and then throws `unavailable`, because a gateway may still accept the key or session.
     * A repeated call sets the liveness mark.
     */
    refuseAnd<Result>(target: Target, commit: () => Promise<Result>, lifetime?: CallLifetime): Promise<Result>;
}

export function livenessMarks({ redis, shards }: { redis: Redis; shards: number }): LivenessMarks {
    async function refuse({ account, subject, ids }: Target, lifetime?: CallLifetime): Promise<AppError | undefined> {
        const tag = shardTag(account, shards);
        const setAll = () =>
            Promise.all(ids.map((id) => redis.set(livenessMarkKey(tag, subject, id), 'R', 'PX', LIVENESS_MARK_MS)));
        const span = startSpan('client', 'refused_mark', lifetime);
        span.attribute('db.system.name', 'redis');
        try {
            await inSpan(span, setAll);
            return undefined;
        } catch (cause) {
            const text = 'It is revoked, but some gateways may not know it yet. Repeat the call to make sure.';
            return new AppError('unavailable', text, { retry_after: 1, reason: 'redis', cause });
        }
    }

    return {
        refuse,
        async refuseAnd(target, commit, lifetime) {
            const failure = await refuse(target, lifetime);
            const result = await commit();
            if (failure) throw failure;
            return result;
        },
    };
}
