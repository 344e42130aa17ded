import { AppError } from './errors.ts';
import { type Redis, shardTag } from './redis.ts';
import { inSpan, startSpan, type Traced } from './tracing.ts';

/**
 * Liveness marks: what every gateway knows, through Redis, of a key or a session. The name of an era of Redis' memory
 * (gateway/limit.lua): its owner has confirmed it in that era, within the last minute. `R`: it has been revoked within the
 * last minute. None: the owner must be asked.
 */
export const MARK_MS = 60_000;

export type Subject = 'key' | 'session';

export function markKey(tag: string, subject: Subject, id: string): string {
    return `mark:${tag}:${subject}:${id}`;
}

interface Target {
    account: string;
    subject: Subject;
    ids: readonly string[];
}

export interface Marks {
    /**
     * Sets the refused marks of what is about to be ended in a transaction. Resolves to what the caller is to hear after the
     * commit, which is made all the same: nothing, or `unavailable` as refuseAnd says.
     */
    refuse(target: Target, traced?: Traced): Promise<AppError | undefined>;
    /**
     * Sets the refused mark, ends what the mark stands for by `commit`, and returns its result. Where Redis cannot be reached
     * the commit is made all the same, but the caller hears `unavailable`: until the mark is in, a gateway may still hold a
     * live one. Repeating the call sets the mark again.
     */
    refuseAnd<Result>(target: Target, commit: () => Promise<Result>, traced?: Traced): Promise<Result>;
}

export function marks({ redis, shards }: { redis: Redis; shards: number }): Marks {
    async function refuse({ account, subject, ids }: Target, traced?: Traced): Promise<AppError | undefined> {
        const tag = shardTag(account, shards);
        const setAll = () => Promise.all(ids.map((id) => redis.set(markKey(tag, subject, id), 'R', 'PX', MARK_MS)));
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
