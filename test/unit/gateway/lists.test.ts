import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listPlaces } from '../../../gateway/list-places.ts';
import { ListAnswer, listReader } from '../../../gateway/lists.ts';
import { type CallContext, Cancellation } from '../../../platform/context.ts';
import { AppError } from '../../../platform/errors.ts';

const caller: CallContext = {
    request_id: 'x',
    traceparent: undefined,
    user_id: 'somebody',
    tier: 'free',
    session_id: undefined,
    address: undefined,
    trusted: false,
    deadline: Number.POSITIVE_INFINITY,
    cancellation: new Cancellation(),
};

/** A list of two pages: the first has `rows` rows, the second has one. */
function listOf(rows: number): ListAnswer<unknown> {
    const first = Array.from({ length: rows }, (_, row) => `row ${row}`);
    return listBy(async ({ cursor }) => ({
        rows: cursor ? ['last'] : first,
        next_cursor: cursor ? undefined : 'next',
        total: 0,
    }));
}

function listBy(fetch: ListAnswer<{ rows: string[]; total: number }>['fetch']): ListAnswer<unknown> {
    const list = new ListAnswer<{ rows: string[]; total: number }>({ field: 'rows', paging: {}, fetch });
    return list as unknown as ListAnswer<unknown>; // the reader knows only this type
}

/** A list of one page, which is returned when the test calls `release`. */
function heldList() {
    const release = Promise.withResolvers<void>();
    const began = Promise.withResolvers<void>();
    const list = listBy(async () => {
        began.resolve();
        await release.promise;
        return { rows: ['only'], next_cursor: undefined, total: 0 };
    });
    return { list, began: began.promise, release: release.resolve };
}

async function open(read: Read, list: ListAnswer<unknown>, as = caller) {
    const result = await read(list, as);
    assert.ok('pieces' in result);
    return result;
}

type Read = ReturnType<typeof listReader>;
const isRefusal = (error: unknown): boolean => error instanceof AppError && error.kind === 'rate_limited';
const long = listOf(1_000);

test('an account may read two long lists at once, and more after they are closed', async () => {
    const read = listReader();
    const underWay = [await open(read, long), await open(read, long)];
    await assert.rejects(read(long, caller), isRefusal);
    await read(long, { ...caller, user_id: 'somebody else' });
    for (const list of underWay) {
        let text = '';
        for await (const piece of list.pieces) text += piece;
        const { rows, total } = JSON.parse(text);
        assert.deepEqual([rows.length, rows.at(-1), total], [1_001, 'last', 1_001]);
        list.close();
        list.close();
    }
    await read(long, caller);
    await read(long, caller);
    await assert.rejects(read(long, caller), isRefusal);
});

test('a long list holds its place from its first page to its end, however few rows its pages have', async () => {
    const read = listReader();
    await read(listOf(10), caller);
    await read(listOf(0), caller);
    await assert.rejects(read(listOf(1), caller), isRefusal);
});

test('a list of one page holds a place while it is read, and a third list waits for a place', async () => {
    const read = listReader();
    const [one, other] = [heldList(), heldList()];
    const reading = [read(one.list, caller), read(other.list, caller)];
    await Promise.all([one.began, other.began]);
    const third = heldList();
    const waiting = read(third.list, caller);
    let hasBegun = false;
    third.began.then(() => {
        hasBegun = true;
    });
    await new Promise(setImmediate);
    assert.equal(hasBegun, false);
    one.release();
    await third.began;
    third.release();
    other.release();
    for (const list of [...reading, waiting]) assert.ok('data' in (await list));
});

test('a list that gets no place in time is refused', async () => {
    const takePlace = listPlaces({ timeoutMs: 100 });
    await takePlace('somebody');
    const leave = await takePlace('somebody');
    await assert.rejects(takePlace('somebody'), isRefusal);
    leave();
    await takePlace('somebody');
});

test('at most 64 lists of an account wait', async () => {
    const takePlace = listPlaces();
    const places = [await takePlace('somebody'), await takePlace('somebody')];
    const waiting = Array.from({ length: 64 }, () => takePlace('somebody').then((leave) => leave()));
    await assert.rejects(takePlace('somebody'), isRefusal);
    for (const leave of places) leave();
    await Promise.all(waiting);
});

test('a list whose first page fails frees its place', async () => {
    const read = listReader();
    const failing = listBy(() =>
        Promise.reject(new AppError('unavailable', 'Try again.', { reason: 'service credentials' })),
    );
    for (let list = 0; list < 5; list++) await assert.rejects(read(failing, caller));
    await read(long, caller);
    await read(long, caller);
});

test('a trusted caller may read any number of lists, with or without an account', async () => {
    const read = listReader();
    for (const userId of [undefined, 'somebody']) {
        for (let list = 0; list < 5; list++) await read(long, { ...caller, trusted: true, user_id: userId });
    }
    await read(long, caller);
});
