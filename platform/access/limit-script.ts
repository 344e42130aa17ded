import { readFileSync } from 'node:fs';
import { onOtherMemory, type Redis, redisScript } from '../redis/redis.ts';
import { epochKey } from './buckets.ts';
import { type Decision, decisionOf, type LimitRequest, STATES } from './limit-decision.ts';
import { LIVENESS_MARK_MS } from './liveness-marks.ts';

const SCRIPT = readFileSync(new URL('limit.lua', import.meta.url), 'utf8');
/**
 * A confirmation may set a liveness mark only this long (ms) after the owning service was asked. This is much shorter
 * than the lifetime of a refused mark. Beyond it: the owning service is asked again.
 */
const CONFIRMATION_VALID_MS = 15_000;

/** The owning service's answer that a key or session is active. */
export interface Confirmation {
    /** When the owning service was asked, by `performance.now()`. */
    askedAt: number;
    /** True if it was asked since the call that is to be decided began. */
    byThisCall: boolean;
}

/** One call to decide. */
export interface ScriptCall extends LimitRequest {
    /** Present if the owning service has confirmed the key or session, and Redis was not told of it yet. */
    confirmation?: Confirmation | undefined;
}

/** An epoch of the data in Redis (limit.lua). `since`: when this process learned of it, by `performance.now()`. */
interface Epoch {
    name: string;
    since: number;
}

/** Sends the calls of one shard to Redis, in a single script call. */
export function limitScript(redis: Redis, windowMs: number) {
    const run = redisScript(redis, SCRIPT);
    const epochs = new Map<string, Epoch>();
    onOtherMemory(redis, () => epochs.clear());

    return async (tag: string, calls: ScriptCall[]): Promise<Decision[]> => {
        const epoch = epochs.get(tag);
        const keys = calls.flatMap(({ bucket, mark }) => [bucket, mark ?? bucket]);
        const args = calls.flatMap((call) => [call.limit, modeOf(call, epoch), call.weight ?? 1, call.version ?? 0]);
        const answer = (await run(
            [...keys, epochKey(tag)],
            [windowMs, LIVENESS_MARK_MS, epoch?.name ?? '', ...args],
        )) as [...number[], string]; // 3 numbers for each call, then the time and the epoch
        const name = answer.at(-1) as string;
        if (name !== epoch?.name) epochs.set(tag, { name, since: performance.now() });
        const now = answer.at(-2) as number;
        return calls.map(({ limit }, index) => {
            const [state, remaining, end] = answer.slice(3 * index, 3 * index + 3) as [number, number, number];
            return decisionOf(STATES[state] ?? 'unconfirmed', { limit, remaining, windowMs, end, now });
        });
    };
}

type Mode = 'asked' | 'confirmed' | '';

function modeOf({ confirmation }: ScriptCall, epoch: Epoch | undefined): Mode {
    if (!confirmation || !isValid(confirmation, epoch)) return '';
    return confirmation.byThisCall ? 'asked' : 'confirmed';
}

/** True if Redis cannot have lost a revocation since the owning service confirmed the key or session. */
function isValid({ askedAt }: Confirmation, epoch: Epoch | undefined): boolean {
    if (epoch === undefined) return false;
    return askedAt >= epoch.since && performance.now() - askedAt < CONFIRMATION_VALID_MS;
}
