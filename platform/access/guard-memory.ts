import { type Cache, createCache } from '../cache.ts';
import { type GuardAnswer, type GuardTarget, POLICY, type Step } from './guard-steps.ts';

/** Records of each kind that a process keeps. The least recently used ones go first. */
const MAX_RECORDS = 100_000;

/** Times are those of the given clock. */
interface Attempts {
    begun: number;
    failed: number;
    /** The address must wait until then. */
    until: number;
    ends: number;
}

interface Total {
    failures: number;
    ends: number;
}

export interface LocalSteps {
    run(target: GuardTarget, step: Step): GuardAnswer;
    /** Records that the address has succeeded, wherever the attempt was counted. */
    rememberSuccess(target: GuardTarget): void;
}

/** The rule of guard.lua, step by step, in this process's memory. `clock` returns milliseconds that never decrease. */
export function localSteps(clock: () => number): LocalSteps {
    const attempts = createCache<string, Attempts>(MAX_RECORDS);
    const totals = createCache<string, Total>(MAX_RECORDS);
    const known = createCache<string, { ends: number }>(MAX_RECORDS);

    function begin({ subject }: GuardTarget, from: string): GuardAnswer {
        const now = clock();
        const { until, failed, begun } = living(attempts, from, now) ?? { until: now, failed: 0, begun: 0 };
        const wait = until - now;
        if (wait > 0) return [failed < POLICY.free && wait <= POLICY.first_wait ? 'unsettled' : 'refused', wait];
        const total = living(totals, subject, now) ?? { failures: 0, ends: now };
        if (total.failures >= POLICY.day_limit && !living(known, from, now)) return ['refused', total.ends - now];
        count(from, begun + 1, now);
        const ends = total.failures === 0 ? now + POLICY.day : total.ends;
        totals.set(subject, { failures: total.failures + 1, ends });
        return ['begun', 0];
    }

    /** An attempt counts as a failure from its start, as in guard.lua. */
    function count(from: string, begun: number, now: number): void {
        const { failed, until } = living(attempts, from, now) ?? { failed: 0, until: now };
        const wait = Math.min(POLICY.longest_wait, POLICY.first_wait * 2 ** (begun - POLICY.free));
        const waits_until = begun >= POLICY.free ? now + wait : until;
        attempts.set(from, { begun, failed, until: waits_until, ends: now + POLICY.day });
    }

    function fail(from: string): void {
        const now = clock();
        const record = living(attempts, from, now) ?? { begun: 0, failed: 0, until: now, ends: 0 };
        const failed = record.failed + 1;
        attempts.set(from, { ...record, failed, ends: now + POLICY.day });
        if (record.begun < failed) count(from, failed, now);
    }

    function giveBack(from: string): void {
        const now = clock();
        const record = living(attempts, from, now);
        if (record && record.begun > 0) attempts.set(from, { ...record, begun: record.begun - 1, until: now });
    }

    function giveBackOfTotal(subject: string): void {
        const total = living(totals, subject, clock());
        if (total && total.failures > 0) totals.set(subject, { ...total, failures: total.failures - 1 });
    }

    const rememberSuccess = (target: GuardTarget): void =>
        known.set(recordOf(target), { ends: clock() + POLICY.remembered });

    return {
        rememberSuccess,
        run(target, step) {
            const from = recordOf(target);
            if (step === 'begin') return begin(target, from);
            if (step === 'failed') fail(from);
            else giveBackOfTotal(target.subject);
            if (step === 'void') giveBack(from);
            if (step === 'succeeded') {
                attempts.delete(from);
                rememberSuccess(target);
            }
            return [step, 0];
        },
    };
}

const recordOf = ({ subject, address = '-' }: GuardTarget): string => `${subject} ${address}`;

function living<Value extends { ends: number }>(cache: Cache<string, Value>, key: string, now: number) {
    const value = cache.get(key);
    return value && value.ends > now ? value : undefined;
}
