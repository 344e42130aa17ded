import assert from 'node:assert/strict';
import test from 'node:test';
import { paging, parse } from '../../../../gateway/fields.ts';
import { parseQuery } from '../../../../gateway/http/query.ts';
import { AppError } from '../../../../platform/errors.ts';

test('a known parameter that is given more than once is refused, and an unknown one is ignored', () => {
    for (const query of ['limit=1&limit=2', 'limit=1&limit=1', 'limit=1&x=1&limit=2&limit=3', 'limit&limit']) {
        assert.throws(
            () => parse(paging, parseQuery(`/v1/list?${query}`)),
            (error) => error instanceof AppError && error.detail === 'limit is given more than once.',
            query,
        );
    }
    assert.deepEqual(parse(paging, parseQuery('/v1/list?x=1&limit=2&x=2')), { limit: 2 });
});
