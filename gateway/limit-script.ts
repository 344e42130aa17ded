import { readFileSync } from 'node:fs';
import { eraKey, unfoldedAccounts } from '../platform/limit-record.ts';
import { MARK_MS } from '../platform/marks.ts';
import { onOtherMemory, type Redis, redisScript } from '../platform/redis.ts';
import type { Claim, Decision } from './limit.ts';

const SCRIPT = readFileSync(new URL('limit.lua', import.meta.url), 'utf8');
/** Number of values that the script returns for each call. */
export const STATES = ['admitted', 'limited', 'refused', 'unconfirmed'] as const;
/**
 * A confirmation by the owner may set a liveness mark only this long (ms) after the owner was asked: much shorter than
 * the life of a refused mark.
 */
const WORD_VALID_MS = 15_000;

export type State = (typeof STATES)[number];

/** One call to decide. */
export interface Question extends Claim {
    /** When, by `performance.now()`, its owner was asked who has said that it is alive. */
    asked_at?: number | undefined;
    /** It is no call, but a presentation that one has verified. */
    verified?: true;
}

/** One era of Redis' memory (limit.lua), and since when, by `performance.now()`, it is known here. */
interface Era {
    name: string;
    since: number;
}

/** Sends the calls of one shard to Redis, in a single script call. */
export function limitScript(redis: Redis, window_ms: number) {
    const run = redisScript(redis, SCRIPT);
    const eras = new Map<string, Era>();
    onOtherMemory(redis, () => eras.clear());

    return async (tag: string, questions: Question[]): Promise<Decision[]> => {
        const era = eras.get(tag);
        const keys = questions.flatMap(({ bucket, mark, unfolded }) => [bucket, mark ?? bucket, unfolded ?? bucket]);
        const args = questions.flatMap((question) => [question.limit, modeOf(question, era)]);
        const answer = (await run(
            [...keys, unfoldedAccounts(tag), eraKey(tag)],
            [window_ms, MARK_MS, era?.name ?? '', ...args],
        )) as [...number[], string]; // 3 numbers for each call, then the time and the epoch
        const name = answer.at(-1) as string;
        if (name !== era?.name) eras.set(tag, { name, since: performance.now() });
        const now = answer.at(-2) as number;
        return questions.map(({ limit }, index) => {
            const [state, remaining, end] = answer.slice(3 * index, 3 * index + 3) as [number, number, number];
            return decisionOf(STATES[state] ?? 'unconfirmed', { limit, remaining, end, now });
        });
    };
}

function modeOf({ verified, asked_at }: Question, era: Era | undefined): 'verified' | 'confirmed' | '' {
    if (verified) return 'verified';
    return wordCounts(asked_at, era) ? 'confirmed' : '';
}

/** True if a confirmation by the owner can still be relied on: no revocation since then can have been lost. */
function wordCounts(asked_at: number | undefined, era: Era | undefined): boolean {
    if (asked_at === undefined || era === undefined) return false;
    return asked_at >= era.since && performance.now() - asked_at < WORD_VALID_MS;
}

/** `now` and `end` (of the window) are milliseconds since 1970. */
export function decisionOf(
    state: State,
    { limit, remaining, end, now }: { limit: number; remaining: number; end: number; now: number },
): Decision {
    const wait = Math.max(1, Math.ceil((end - now) / 1_000));
    return { state, limit, remaining, reset: Math.ceil(end / 1_000), wait };
}
