import { readFileSync } from 'node:fs';
import type { CallLifetime } from '../context.ts';
import { AppError } from '../errors.ts';
import { type Redis, redisScript, shardTag } from '../redis/redis.ts';
import { inSpan, startSpan } from '../telemetry/tracing.ts';

const VERSION_MARK = readFileSync(new URL('version-mark.lua', import.meta.url), 'utf8');

/**
 * Lifetime of a liveness mark, in milliseconds. A liveness mark tells all gateways, through Redis, whether a key or
 * session is live. Its values are:
 * - the name of the current epoch (limit.lua): the owning service has confirmed the key or session in this epoch within
 *   the last minute. If its restrictions were changed or its account was suspended, the version follows.
 * - `R`: it was revoked within the last minute.
 * - `S` (superseded) and a version: it has had this version for less than a minute, and nobody has used it since.
 * Without a live mark, the gateway must ask the owning service.
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

/** A key or session with the version that it has or is about to have. */
export interface Version {
    id: string;
    version: number;
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
    /**
     * Voids what gateways know of earlier versions of keys or sessions. A change of restrictions calls this before the
     * transaction that gives the key its next version. If that transaction fails, gateways ask the owning service at
     * each call of the key for a minute. A suspension calls this after its commit. Resolves to undefined, or to the
     * error `unavailable`. The caller must hold no lock, because Redis may answer late.
     */
    changeVersions(
        target: Omit<Target, 'ids'> & { versions: readonly Version[] },
        lifetime?: CallLifetime,
    ): Promise<AppError | undefined>;
}

export function livenessMarks({ redis, shards }: { redis: Redis; shards: number }): LivenessMarks {
    const setVersionMark = redisScript(redis, VERSION_MARK);

    async function refuse({ account, subject, ids }: Target, lifetime?: CallLifetime): Promise<AppError | undefined> {
        const tag = shardTag(account, shards);
        const setAll = () =>
            Promise.all(ids.map((id) => redis.set(livenessMarkKey(tag, subject, id), 'R', 'PX', LIVENESS_MARK_MS)));
        return written('refused_mark', 'It is revoked', setAll, lifetime);
    }

    return {
        refuse,
        async refuseAnd(target, commit, lifetime) {
            const failure = await refuse(target, lifetime);
            const result = await commit();
            if (failure) throw failure;
            return result;
        },
        changeVersions({ account, subject, versions }, lifetime) {
            const tag = shardTag(account, shards);
            const setOne = ({ id, version }: Version) =>
                setVersionMark([livenessMarkKey(tag, subject, id)], [version, LIVENESS_MARK_MS]);
            return written('version_mark', 'It is changed', () => Promise.all(versions.map(setOne)), lifetime);
        },
    };
}

/** Sets marks in a span of this name. Resolves to undefined, or to the error of a change that gateways may not know. */
async function written(
    name: string,
    done: string,
    set: () => Promise<unknown>,
    lifetime: CallLifetime | undefined,
): Promise<AppError | undefined> {
    const span = startSpan('client', name, lifetime);
    span.attribute('db.system.name', 'redis');
    try {
        await inSpan(span, set);
        return undefined;
    } catch (cause) {
        const text = `${done}, but some gateways may not know it yet. Repeat the call to make sure.`;
        return new AppError('unavailable', text, { retry_after: 1, reason: 'redis', cause });
    }
}
