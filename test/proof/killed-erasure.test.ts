import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { until } from '../support/until.ts';
import { addRows, hurry, isErased, newMark, newMarkedAccount, placesOf, startBed } from './large-account.ts';

/** `npm run proof -- killed` kills this often. */
const KILLS = Number(process.env['KILLED_ERASURES'] ?? 2);
/** Number of rows that are erased between two kills, about. */
const ROWS_PER_KILL = 10_000;
/** Longest time from the start of a process to the next kill, in milliseconds. */
const LIVES_MS = 3_000;

it('an erasure ends complete, whichever process is killed and wherever it is', async () => {
    const bed = await startBed();
    const { service, db } = bed;
    const mark = newMark();
    const ada = await newMarkedAccount(bed, mark);
    await addRows(bed, ada, { mark, rows: KILLS * ROWS_PER_KILL });
    assert.ok((await placesOf(bed, mark)).length >= 9);
    // The first kill may interrupt the call itself. Then the job ends what it has decided.
    const called = ada.erase();
    const isDecided = async () => {
        const { rowCount } = await db.query('SELECT FROM identity.erasures WHERE account = $1', [ada.user_id]);
        return rowCount === 1;
    };
    await until('the erasure is decided', isDecided);
    const victims = service.ops.flatMap(({ role }, index) => (role === 'gateway' ? [] : [index]));
    let kills = 0;
    while (kills < KILLS && !(await isErased(bed, ada.user_id))) {
        await hurry(bed, ada.user_id);
        await delay(randomInt(LIVES_MS));
        // identity goes on with the erasure only when Redis gives its job to the next process, so it is killed less often.
        const victim = victims[kills % 4 === 0 ? victims.length - 1 : 0] ?? assert.fail();
        await service.restart(victim, 'SIGKILL');
        kills++;
    }
    assert.ok([200, 503].includes(await called));
    const isOver = async () => {
        await hurry(bed, ada.user_id);
        return isErased(bed, ada.user_id);
    };
    await until('the account is erased', isOver, 240_000 + 10_000 * KILLS);
    assert.deepEqual(await placesOf(bed, mark), []);
    const { rows } = await db.query(
        `SELECT (SELECT count(*)::int FROM events.log WHERE account = $1 AND type = 'account.erased')
              + (SELECT count(*)::int FROM identity.outbox WHERE type = 'account.erased') AS told`,
        [ada.user_id],
    );
    assert.deepEqual(rows, [{ told: 1 }]);
    console.log(`${KILLS * ROWS_PER_KILL} rows, ${kills} kills`);
});
