import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '../../../../platform/errors.ts';
import { leases, leasesEnd } from '../../../../services/issuers/leases.ts';

/** Longer than a lease, in milliseconds. */
const LONG_MS = 1_050;

it('a value is read once in a lease, and again after a change could have been answered', async () => {
    const known = leases<number>();
    let readings = 0;
    const find = () => known.find('did', async () => ++readings);
    assert.deepEqual([await find(), await find()], [1, 1]);
    await leasesEnd();
    assert.equal(await find(), 2);
});

it('a value whose reading took longer than the lease is not used', async () => {
    const known = leases<number>();
    let readings = 0;
    const slowOnce = async () => {
        readings++;
        if (readings === 1) await delay(LONG_MS);
        return readings;
    };
    assert.equal(await known.find('did', slowOnce), 2);
});

it('a lease counts from the beginning of its reading, because the value may have changed since', async () => {
    const known = leases<number>();
    let readings = 0;
    const slow = async () => {
        await delay(600);
        return ++readings;
    };
    await known.find('did', slow);
    await delay(450);
    assert.equal(await known.find('did', slow), 2);
});

it('a call fails if every reading takes longer than a lease', async () => {
    const known = leases<number>();
    const slow = async () => {
        await delay(LONG_MS);
        return 1;
    };
    const isUnavailable = (error: unknown) => error instanceof AppError && error.kind === 'unavailable';
    await assert.rejects(known.find('did', slow), isUnavailable);
});

it('nothing is remembered of what does not exist', async () => {
    const known = leases<number>();
    assert.equal(await known.find('did', async () => undefined), undefined);
    assert.equal(await known.find('did', async () => 1), 1);
});

it('each value is forgotten when its own lease ends, also if another one has taken its place', async () => {
    const forgotten: number[] = [];
    const known = leases<number>((value) => forgotten.push(value));
    await known.find('did', async () => 1);
    await Promise.all([known.find('other', async () => 2), known.find('other', async () => 3)]);
    assert.deepEqual(forgotten, []);
    await leasesEnd();
    assert.deepEqual(forgotten.sort(), [1, 2, 3]);
});
