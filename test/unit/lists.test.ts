import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ListAnswer, listReader } from '../../gateway/lists.ts';
import type { CallContext } from '../../platform/context.ts';
import { AppError } from '../../platform/errors.ts';

const caller: CallContext = {
    request_id: 'x',
    traceparent: undefined,
    user_id: 'somebody',
    tier: 'free',
    session_id: undefined,
    address: undefined,
    trusted: false,
    deadline: Number.POSITIVE_INFINITY,
};

/** A list of two pages: so many rows, and a last one. */
function listOf(rows: number): ListAnswer<unknown> {
    const first = Array.from({ length: rows }, (_, row) => `row ${row}`);
    return new ListAnswer<{ rows: string[]; total: number }>({
        field: 'rows',
        paging: {},
        fetch: async ({ cursor }) => ({
            rows: cursor ? ['last'] : first,
            next_cursor: cursor ? undefined : 'next',
            total: 0,
        }),
    }) as unknown as ListAnswer<unknown>; // what the engine knows of it
}
const long = listOf(1_000);

test('an account may have two long lists under way, and others after they are read', async () => {
    const read = listReader();
    const under_way = [await read(long, caller), await read(long, caller)];
    await assert.rejects(read(long, caller), (error) => error instanceof AppError && error.kind === 'rate_limited');
    await read(long, { ...caller, user_id: 'somebody else' });
    for (const list of under_way) {
        assert.ok('pieces' in list);
        let text = '';
        for await (const piece of list.pieces) text += piece;
        const { rows, total } = JSON.parse(text);
        assert.deepEqual([rows.length, rows.at(-1), total], [1_001, 'last', 1_001]);
    }
    await read(long, caller);
    await read(long, caller);
    await assert.rejects(read(long, caller));
});

test('a list whose pages end where they grow large is not a long one', async () => {
    const read = listReader();
    for (let list = 0; list < 5; list++) await read(listOf(10), caller);
    await read(long, caller);
});

test('a trusted caller may have any number of them, for nobody and for an account', async () => {
    const read = listReader();
    for (const user_id of [undefined, 'somebody']) {
        for (let list = 0; list < 5; list++) await read(long, { ...caller, trusted: true, user_id });
    }
    await read(long, caller);
});
