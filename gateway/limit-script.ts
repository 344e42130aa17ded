import { readFileSync } from 'node:fs';
import { eraKey, unfoldedAccounts } from '../platform/limit-record.ts';
import { MARK_MS } from '../platform/marks.ts';
import { onOtherMemory, type Redis, redisScript } from '../platform/redis.ts';
import type { Claim, Decision } from './limit.ts';

const SCRIPT = readFileSync(new URL('limit.lua', import.meta.url), 'utf8');
/** What the script answers as numbers. */
export const STATES = ['admitted', 'limited', 'refused', 'unconfirmed'] as const;
/** An owner's word may set a live mark only this soon after it was asked, in milliseconds: well within a refused mark's life. */
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

/** Puts the questions of one shard to Redis, all by one call of the script. */
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
        )) as [...number[], string]; // 3 numbers for each question, then the time and the era
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

/** Whether an owner's word can still be relied on: nothing that was said since can have been lost. */
function wordCounts(asked_at: number | undefined, era: Era | undefined): boolean {
    if (asked_at === undefined || era === undefined) return false;
    return asked_at >= era.since && performance.now() - asked_at < WORD_VALID_MS;
}

/** `now` and `end`, when the window ends, are milliseconds since 1970. */
export function decisionOf(
    state: State,
    { limit, remaining, end, now }: { limit: number; remaining: number; end: number; now: number },
): Decision {
    const wait = Math.max(1, Math.ceil((end - now) / 1_000));
    return { state, limit, remaining, reset: Math.ceil(end / 1_000), wait };
}
