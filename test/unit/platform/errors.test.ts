import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../../../platform/errors.ts';

test('the compiler asks for the reason of an error that the process is not at fault for', () => {
    const explained = new AppError('unavailable', 'Try again.', { retry_after: 1, reason: 'redis' });
    assert.ok(explained.isExplained);
    // @ts-expect-error
    const unexplained = new AppError('unavailable', 'Try again.', { retry_after: 1 });
    assert.ok(!unexplained.isExplained);
});
