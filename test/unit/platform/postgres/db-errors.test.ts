import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AppError } from '../../../../platform/errors.ts';
import { translated } from '../../../../platform/postgres/db-errors.ts';

/** What becomes of an error with this SQLSTATE and text. */
function answerTo(code: string, text: string): Promise<unknown> {
    const refused = Object.assign(new Error(text), { code });
    const failing = translated(() => Promise.reject(new Error('The query failed.', { cause: refused })));
    return failing.catch((error: unknown) => error);
}

describe('a node that Citus cannot reach makes a call unavailable:', () => {
    for (const [code, text] of [
        ['XX000', 'failure on connection marked as essential: 10.0.0.7:5432'],
        ['XX000', 'server closed the connection unexpectedly'],
        ['08006', 'connection to the remote node credentials@10.0.0.7:5432 failed with the following error: refused'],
    ] as const) {
        it(`${code} ${text}`, async () => {
            const error = await answerTo(code, text);
            assert.ok(error instanceof AppError);
            assert.deepEqual([error.kind, error.retry_after], ['unavailable', 1]);
        });
    }
});

it('another internal error of PostgreSQL is an error of the program', async () => {
    assert.ok(!((await answerTo('XX000', 'cache lookup failed for relation 17')) instanceof AppError));
});
