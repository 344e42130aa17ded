import { type Cache, createCache } from '../cache.ts';
import { type GuardAnswer, type GuardTarget, POLICY, type Step } from './guard-steps.ts';

/**
 * Maximum number of records of each kind in a process. Beyond it: the least recently used half is dropped, and those
 * subjects and addresses start again at zero.
 */
const MAX_RECORDS = 100_000;

/** The attempts from one address on one subject. Times are milliseconds of the given clock. */
interface Attempts {
    begun: number;
    failed: number;
    /** The address must wait until then. */
    until: number;
    ends: number;
}

/** The failures on one subject from all addresses. */
interface Total {
    failures: number;
    ends: number;
}

export interface LocalSteps {
    run(target: GuardTarget, step: Step): GuardAnswer;
    /**
     * Remembers that the address has succeeded. run() does this itself; call it for attempts that Redis has counted.
     */
    rememberSuccess(target: GuardTarget): void;
}

/**
 * Applies the rule of guard.lua, with the same steps, in this process's memory. `clock` returns milliseconds that never
 * decrease.
 */
export function localSteps(clock: () => number): LocalSteps {
    const attempts = addressAttempts(clock);
    const totals = subjectTotals(clock);
    const known = createCache<string, { ends: number }>(MAX_RECORDS);

    function begin({ subject }: GuardTarget, from: string): GuardAnswer {
        const now = clock();
        const { until, failed, begun } = attempts.of(from, now);
        const wait = until - now;
        if (wait > 0) return [failed < POLICY.free && wait <= POLICY.first_wait ? 'unsettled' : 'refused', wait];
        const total = totals.of(subject, now);
        if (total.failures >= POLICY.day_limit && !living(known, from, now)) return ['refused', total.ends - now];
        attempts.count(from, begun + 1, now);
        totals.add(subject, now);
        return ['begun', 0];
    }

    const rememberSuccess = (target: GuardTarget): void =>
        void known.set(recordOf(target), { ends: clock() + POLICY.remembered });

    return {
        rememberSuccess,
        run(target, step) {
            const from = recordOf(target);
            if (step === 'begin') return begin(target, from);
            if (step === 'failed') attempts.fail(from);
            else totals.giveBack(target.subject);
            if (step === 'void') attempts.giveBack(from);
            if (step === 'succeeded') {
                attempts.forget(from);
                rememberSuccess(target);
            }
            return [step, 0];
        },
    };
}

function addressAttempts(clock: () => number) {
    const records = createCache<string, Attempts>(MAX_RECORDS);
    const of = (from: string, now: number): Attempts =>
        living(records, from, now) ?? { begun: 0, failed: 0, until: now, ends: 0 };

    /** An attempt counts as a failure from its start, as in guard.lua. */
    function count(from: string, begun: number, now: number): void {
        const { failed, until } = of(from, now);
        const wait = Math.min(POLICY.longest_wait, POLICY.first_wait * 2 ** (begun - POLICY.free));
        const waitsUntil = begun >= POLICY.free ? now + wait : until;
        records.set(from, { begun, failed, until: waitsUntil, ends: now + POLICY.day });
    }

    return {
        of,
        count,
        fail(from: string): void {
            const now = clock();
            const record = of(from, now);
            const failed = record.failed + 1;
            records.set(from, { ...record, failed, ends: now + POLICY.day });
            if (record.begun < failed) count(from, failed, now);
        },
        giveBack(from: string): void {
            const now = clock();
            const record = of(from, now);
            if (record.begun > 0) records.set(from, { ...record, begun: record.begun - 1, until: now });
        },
        forget: (from: string): void => void records.delete(from),
    };
}

function subjectTotals(clock: () => number) {
    const records = createCache<string, Total>(MAX_RECORDS);
    const of = (subject: string, now: number): Total => living(records, subject, now) ?? { failures: 0, ends: now };
    return {
        of,
        add(subject: string, now: number): void {
            const { failures, ends } = of(subject, now);
            records.set(subject, { failures: failures + 1, ends: failures === 0 ? now + POLICY.day : ends });
        },
        giveBack(subject: string): void {
            const total = of(subject, clock());
            if (total.failures > 0) records.set(subject, { ...total, failures: total.failures - 1 });
        },
    };
}

const recordOf = ({ subject, address = '-' }: GuardTarget): string => `${subject} ${address}`;

function living<Value extends { ends: number }>(cache: Cache<string, Value>, key: string, now: number) {
    const value = cache.get(key);
    return value && value.ends > now ? value : undefined;
}
