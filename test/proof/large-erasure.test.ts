import assert from 'node:assert/strict';
import { it } from 'node:test';
import { until } from '../support/until.ts';
import { addRows, hurry, isErased, newMark, newMarkedAccount, placesOf, startBed } from './large-account.ts';

/** `npm run proof -- erasure` erases a million. */
const ROWS = Number(process.env['ERASED_ROWS'] ?? 5_000);
/** Since when the oldest transaction is open, and since when a statement waits for a lock, in milliseconds. */
const LONGEST = `
    SELECT extract(epoch FROM clock_timestamp() - min(xact_start)) * 1000 AS transaction,
        extract(epoch FROM clock_timestamp() - min(query_start) FILTER (WHERE wait_event_type = 'Lock')) * 1000 AS lock_wait
    FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()`;

/** Sorted durations of calls, one after the other, until `isOver`. In milliseconds. */
async function durations(call: () => Promise<unknown>, isOver: () => boolean): Promise<number[]> {
    const all: number[] = [];
    while (!isOver()) {
        const began = performance.now();
        await call();
        all.push(performance.now() - began);
    }
    return all.sort((one, other) => one - other);
}

const shown = (all: readonly number[]) =>
    [0.5, 0.99, 1].map((part) => Math.round(all[Math.ceil(part * all.length) - 1] ?? 0)).join(', ');

it('the erasure of a large account ends complete beside the calls of others, and leaves nothing about people', async () => {
    const bed = await startBed();
    const [mark, other] = [newMark(), newMark()];
    const [ada, eve] = [await newMarkedAccount(bed, mark), await newMarkedAccount(bed, other)];
    await addRows(bed, ada, { mark, rows: ROWS });
    const before = { mark: await placesOf(bed, mark), others: await placesOf(bed, other) };
    assert.ok(before.mark.length >= 9, before.mark.join());
    const calmUntil = performance.now() + 5_000;
    const calm = await durations(eve.issue, () => performance.now() > calmUntil);

    for (let status = await ada.erase(); status !== 200; status = await ada.erase()) assert.equal(status, 503);
    await hurry(bed, ada.user_id);
    const began = performance.now();
    let isOver = false;
    const longest = { transaction: 0, lock_wait: 0 };
    const calls = durations(eve.issue, () => isOver);
    const watch = async () => {
        const { rows } = await bed.db.query(LONGEST);
        for (const name of ['transaction', 'lock_wait'] as const)
            longest[name] = Math.max(longest[name], Number(rows[0][name]));
        return isErased(bed, ada.user_id);
    };
    await until('the account is erased', watch, 60_000 + 2 * ROWS);
    const seconds = (performance.now() - began) / 1_000;
    isOver = true;
    const busy = await calls;
    assert.deepEqual(await placesOf(bed, mark), []);
    assert.deepEqual(await placesOf(bed, other), before.others);
    const { transaction, lock_wait } = longest;
    console.log(`${ROWS} rows in ${seconds.toFixed(1)} s`);
    console.log(
        `longest transaction ${Math.round(transaction)} ms, longest wait for a lock ${Math.round(lock_wait)} ms`,
    );
    console.log(`calls of another account, p50, p99, max in ms: ${shown(calm)}; meanwhile ${shown(busy)}`);
    console.log(`the account's id stays in: ${(await placesOf(bed, ada.user_id)).join(', ')}`);
});
