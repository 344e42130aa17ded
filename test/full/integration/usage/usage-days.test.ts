import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { DAY_MS, dayText } from '../../../../platform/days.ts';
import { mergeTotals } from '../../../../services/counts/merge.store.ts';
import { pruneUsage } from '../../../../services/usage/prune.store.ts';
import { countingFixture } from '../../../integration/usage/counting.ts';
import { testContext } from '../../../support/harness.ts';

let now = 0;
const { db, usage, trusted, gateway, rollUpAll } = await countingFixture(() => now);
const { admitted, refused, verifiedPresentation, send } = gateway();

type Counted = 'requests' | 'refused' | 'verified';

/** An account that makes calls, and the counts that its statistics must show. */
interface Caller {
    account: string;
    key_id: string;
    days: Map<string, Record<Counted, number>>;
    calls: boolean[];
}

const newCaller = (calls: boolean[]): Caller => ({
    account: randomUUID(),
    key_id: randomUUID(),
    days: new Map(),
    calls,
});

/** Makes two calls with the key, one of which is refused, and one with a session; verifies one presentation. */
function call({ account, key_id, days }: Caller): void {
    const key = { user_id: account, key_id };
    now += 60_000;
    admitted(key, 1);
    refused(key);
    admitted({ user_id: account }, 1);
    verifiedPresentation(key);
    const day = days.get(dayText(now)) ?? { requests: 0, refused: 0, verified: 0 };
    days.set(dayText(now), { requests: day.requests + 2, refused: day.refused + 1, verified: day.verified + 1 });
}

/** Later than any day. */
const FOR_EVER = '9999';

function sum({ days }: Caller, kind: Counted, first: string, last = dayText(now)): number {
    const wanted = [...days].filter(([day]) => day >= first && day <= last);
    return wanted.reduce((total, [, counts]) => total + counts[kind], 0);
}

/** Compares the statistics of an account and its key with the calls that were made. */
async function checkCaller(caller: Caller, at: string): Promise<void> {
    const context = testContext({ user_id: caller.account });
    const [today, month] = [dayText(now), `${dayText(now).slice(0, 7)}-01`];
    const told = await usage.getStatistics({}, context);
    assert.deepEqual(
        [told.period, told.requests_today, told.requests_this_month, told.rate_limit_hits, told.presentations_verified],
        [
            today.slice(0, 7),
            sum(caller, 'requests', today),
            sum(caller, 'requests', month),
            sum(caller, 'refused', month),
            sum(caller, 'verified', '', FOR_EVER),
        ],
        at,
    );
    // Half of the requests are the key's, the others the session's.
    const { keys } = await usage.getKeyUsage({ key_ids: [caller.key_id] }, context);
    assert.deepEqual(
        [keys[0]?.requests_today, keys[0]?.requests_this_month],
        [sum(caller, 'requests', today) / 2, sum(caller, 'requests', month) / 2],
        at,
    );
}

/** Compares the statistics of the platform with the calls of all accounts in this file. */
async function checkPlatform(callers: Caller[], at: string): Promise<void> {
    const [today, week] = [dayText(now), dayText(now - 6 * DAY_MS)];
    const total = (kind: Counted, first: string, last?: string) =>
        callers.reduce((all, caller) => all + sum(caller, kind, first, last), 0);
    const active = (first: string) => callers.filter((caller) => sum(caller, 'requests', first) > 0).length;
    const told = await usage.getPlatformStatistics({}, trusted());
    assert.deepEqual(
        [
            told.requests_today,
            told.requests_this_week,
            told.presentations_verified,
            told.users_active_today,
            told.users_active_this_week,
        ],
        [
            total('requests', today),
            total('requests', week),
            total('verified', '', FOR_EVER),
            active(today),
            active(week),
        ],
        at,
    );
}

/** All combinations of answers to this number of yes-or-no questions. */
const choices = (questions: number): boolean[][] =>
    Array.from({ length: 2 ** questions }, (_, number) =>
        Array.from({ length: questions }, (_, bit) => Boolean(number & (1 << bit))),
    );

/** The hours of each day at which callers may call, an early and a late one. After each of them a roll-up may run. */
const HOURS = [1, 23];
const everybody: Caller[] = [];

/** Runs three days; the second begins at `change`. `rollsUp` says after which of the six hours a roll-up runs. */
async function runThrough(change: number, rollsUp: boolean[]): Promise<void> {
    const callers = choices(HOURS.length * 3)
        .filter((_, number) => number % 9 === 0)
        .map(newCaller);
    everybody.push(...callers);
    for (const step of rollsUp.keys()) {
        const day = Math.floor(step / HOURS.length) - 1;
        now = change + day * DAY_MS + (HOURS[step % HOURS.length] as number) * 3_600_000; // the index is in range
        const at = `${new Date(now).toISOString()}, roll-ups ${rollsUp.map(Number).join('')}`;
        await checkAll(callers, `${at}: before a call`);
        for (const caller of callers) if (caller.calls[step]) call(caller);
        await send();
        await checkAll(callers, `${at}: after a call`);
        if (!rollsUp[step]) continue;
        await rollUpAll();
        await checkAll(callers, `${at}: after a roll-up`);
        await pruneUsage(db, dayText(now));
        await mergeTotals('usage', db, dayText(now));
        await checkAll(callers, `${at}: after pruning`);
    }
}

async function checkAll(callers: Caller[], at: string): Promise<void> {
    await Promise.all([...callers.map((caller) => checkCaller(caller, at)), checkPlatform(everybody, at)]);
}

describe('requests are counted exactly, before and after a roll-up,', () => {
    const changes = {
        'when a day begins': '2031-05-14',
        'when a month begins': '2031-06-01',
        'when a year begins': '2032-01-01',
        'after a leap day': '2032-03-01',
    };
    for (const [name, day] of Object.entries(changes)) {
        it(name, async () => {
            for (const [index, rollsUp] of choices(6).entries()) {
                if (index % 21 === 0) await runThrough(Date.parse(day), rollsUp);
            }
        });
    }
});

it('requests are counted for the day of the clock that counted them, also if it is set back over midnight', async () => {
    const caller = newCaller([]);
    everybody.push(caller);
    const midnight = Date.parse('2032-07-01');
    for (const minutes of [-10, 10, -5, 15, -20]) {
        now = midnight + minutes * 60_000;
        call(caller);
    }
    await send();
    await rollUpAll();
    for (const hour of [-1, 1]) {
        now = midnight + hour * 3_600_000;
        await checkPlatform(everybody, `at ${hour}`);
    }
    await checkCaller(caller, 'on the later day');
});
