import assert from 'node:assert/strict';
import { readIdempotencyKey } from '../../../platform/access/idempotency-key.ts';
import { AppError } from '../../../platform/errors.ts';
import { target } from '../parsers/target.ts';

/** A quoted key is read as the same key without its quotes and escapes, and every key is visible ASCII. */
export const idempotencyKey = target({
    name: 'idempotency-key',
    seeds: ['abc', '"abc"', '"a\\b\\""', '""', '"', 'a, b'],
    dictionary: ['"', '\\', '\\"', ', ', 'abc'],
    parse(input) {
        try {
            return readIdempotencyKey(input.toString('latin1'));
        } catch (error) {
            if (error instanceof AppError && error.kind === 'invalid') return undefined;
            throw error;
        }
    },
    check(_input, key) {
        if (key === undefined) return;
        assert.match(key, /^[!-~]{1,255}$/);
        assert.equal(readIdempotencyKey(`"${key.replaceAll(/["\\]/g, '\\$&')}"`), key);
    },
});
