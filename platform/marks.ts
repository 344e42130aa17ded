import { AppError } from './errors.ts';
import { type Redis, shardTag } from './redis.ts';

/**
 * Liveness marks: what every gateway knows, through Redis, of a key or a session. `L`: its owner has confirmed it within the
 * last minute. `R`: it has been revoked within the last minute. None: the owner must be asked.
 */
export const MARK_MS = 60_000;

export type Subject = 'key' | 'session';

export function markKey(tag: string, subject: Subject, id: string): string {
    return `mark:${tag}:${subject}:${id}`;
}

export interface Marks {
    /**
     * Sets the refused mark, ends what the mark stands for by `commit`, and returns its result. Where Redis cannot be reached
     * the commit is made all the same, but the caller hears `unavailable`: until the mark is in, a gateway may still hold a
     * live one. Repeating the call sets the mark again.
     */
    refuseAnd<Result>(
        target: { account: string; subject: Subject; ids: readonly string[] },
        commit: () => Promise<Result>,
    ): Promise<Result>;
}

export function marks({ redis, shards }: { redis: Redis; shards: number }): Marks {
    return {
        async refuseAnd({ account, subject, ids }, commit) {
            const tag = shardTag(account, shards);
            const marking = Promise.all(ids.map((id) => redis.set(markKey(tag, subject, id), 'R', 'PX', MARK_MS)));
            const failure = await marking.then(
                () => undefined,
                (error: unknown) => error,
            );
            const result = await commit();
            if (failure === undefined) return result;
            throw new AppError(
                'unavailable',
                'It is ended, but not yet known everywhere. Repeat the call to make sure.',
                {
                    retry_after: 1,
                    cause: failure,
                },
            );
        },
    };
}
