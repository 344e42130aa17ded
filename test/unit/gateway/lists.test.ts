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

/** A list of two pages: so many rows, and a last one. */
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
    return list as unknown as ListAnswer<unknown>; // what the engine knows of it
}

/** A list of one page, which is read when it is said so. */
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

test('an account may have two long lists under way, and others after they are closed', async () => {
    const read = listReader();
    const under_way = [await open(read, long), await open(read, long)];
    await assert.rejects(read(long, caller), isRefusal);
    await read(long, { ...caller, user_id: 'somebody else' });
    for (const list of under_way) {
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

test('a list of one page counts while it is read; the third one waits for its place', async () => {
    const read = listReader();
    const [one, other] = [heldList(), heldList()];
    const reading = [read(one.list, caller), read(other.list, caller)];
    await Promise.all([one.began, other.began]);
    const third = heldList();
    const waiting = read(third.list, caller);
    let has_begun = false;
    third.began.then(() => {
        has_begun = true;
    });
    await new Promise(setImmediate);
    assert.equal(has_begun, false);
    one.release();
    await third.began;
    third.release();
    other.release();
    for (const list of [...reading, waiting]) assert.ok('data' in (await list));
});

test('a list that waits is refused when long lists take all places', async () => {
    const read = listReader();
    await read(long, caller);
    const release = Promise.withResolvers<void>();
    const becoming_long = read(
        listBy(async () => {
            await release.promise;
            return { rows: ['first'], next_cursor: 'next', total: 0 };
        }),
        caller,
    );
    const refused = assert.rejects(read(long, caller), isRefusal);
    release.resolve();
    await becoming_long;
    await refused;
});

test('a list that finds no place for a second is refused', async () => {
    const takePlace = listPlaces({ patience_ms: 20 });
    await takePlace('somebody');
    const place = await takePlace('somebody');
    await assert.rejects(takePlace('somebody'), isRefusal);
    place.leave();
    await takePlace('somebody');
});

test('no more than 64 lists of an account wait', async () => {
    const takePlace = listPlaces();
    const places = [await takePlace('somebody'), await takePlace('somebody')];
    const waiting = Array.from({ length: 64 }, () => takePlace('somebody').then((place) => place.leave()));
    await assert.rejects(takePlace('somebody'), isRefusal);
    for (const place of places) place.leave();
    await Promise.all(waiting);
});

test('a list whose first page fails gives its place back', async () => {
    const read = listReader();
    const failing = listBy(() => Promise.reject(new AppError('unavailable', 'Try again.')));
    for (let list = 0; list < 5; list++) await assert.rejects(read(failing, caller));
    await read(long, caller);
    await read(long, caller);
});

test('a trusted caller may have any number of them, for nobody and for an account', async () => {
    const read = listReader();
    for (const user_id of [undefined, 'somebody']) {
        for (let list = 0; list < 5; list++) await read(long, { ...caller, trusted: true, user_id });
    }
    await read(long, caller);
});
