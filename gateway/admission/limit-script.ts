import { readFileSync } from 'node:fs';
import { accountsAwaitingRollUp, epochKey } from '../../platform/access/limit-record.ts';
import { LIVENESS_MARK_MS } from '../../platform/access/liveness-marks.ts';
import { onOtherMemory, type Redis, redisScript } from '../../platform/redis/redis.ts';
import { type Decision, decisionOf, type LimitRequest, STATES } from './limit-decision.ts';

const SCRIPT = readFileSync(new URL('limit.lua', import.meta.url), 'utf8');
/**
 * A confirmation by the owner may set a liveness mark only this long (ms) after the owner was asked: much shorter than
 * the life of a refused mark.
 */
const CONFIRMATION_VALID_MS = 15_000;

/** One call to decide. */
export interface ScriptCall extends LimitRequest {
    /** When, by `performance.now()`, its owner was asked who has said that it is alive. */
    lookedUpAt?: number | undefined;
    /** It is no call, but a presentation that one has verified. */
    verified?: true;
}

/** One era of Redis' memory (limit.lua), and since when, by `performance.now()`, it is known here. */
interface Epoch {
    name: string;
    since: number;
}

/** Sends the calls of one shard to Redis, in a single script call. */
export function limitScript(redis: Redis, window_ms: number) {
    const run = redisScript(redis, SCRIPT);
    const epochs = new Map<string, Epoch>();
    onOtherMemory(redis, () => epochs.clear());

    return async (tag: string, calls: ScriptCall[]): Promise<Decision[]> => {
        const epoch = epochs.get(tag);
        const keys = calls.flatMap(({ bucket, mark, awaitingRollUp }) => [
            bucket,
            mark ?? bucket,
            awaitingRollUp ?? bucket,
        ]);
        const args = calls.flatMap((call) => [call.limit, modeOf(call, epoch)]);
        const answer = (await run(
            [...keys, accountsAwaitingRollUp(tag), epochKey(tag)],
            [window_ms, LIVENESS_MARK_MS, epoch?.name ?? '', ...args],
        )) as [...number[], string]; // 3 numbers for each call, then the time and the epoch
        const name = answer.at(-1) as string;
        if (name !== epoch?.name) epochs.set(tag, { name, since: performance.now() });
        const now = answer.at(-2) as number;
        return calls.map(({ limit }, index) => {
            const [state, remaining, end] = answer.slice(3 * index, 3 * index + 3) as [number, number, number];
            return decisionOf(STATES[state] ?? 'unconfirmed', { limit, remaining, end, now });
        });
    };
}

function modeOf({ verified, lookedUpAt }: ScriptCall, epoch: Epoch | undefined): 'verified' | 'confirmed' | '' {
    if (verified) return 'verified';
    return isConfirmationValid(lookedUpAt, epoch) ? 'confirmed' : '';
}

/** True if a confirmation by the owner can still be relied on: no revocation since then can have been lost. */
function isConfirmationValid(lookedUpAt: number | undefined, epoch: Epoch | undefined): boolean {
    if (lookedUpAt === undefined || epoch === undefined) return false;
    return lookedUpAt >= epoch.since && performance.now() - lookedUpAt < CONFIRMATION_VALID_MS;
}
