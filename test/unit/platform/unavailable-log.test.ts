import assert from 'node:assert/strict';
import { it } from 'node:test';
import { AppError } from '../../../platform/errors.ts';
import { overloaded } from '../../../platform/gather.ts';
import { unavailableLog } from '../../../platform/telemetry/unavailable-log.ts';
import { recordingLog } from '../../support/harness.ts';

it('a reason why calls are unavailable is logged when it begins: once, as a warning', (t) => {
    const clock = { now: 0 };
    t.mock.method(performance, 'now', () => clock.now);
    const { log, lines } = recordingLog();
    const note = unavailableLog(log);
    const outage = new AppError('unavailable', 'x', { reason: 'database', cause: new Error('too many clients') });
    for (const error of [overloaded('a'), overloaded('a'), outage, overloaded('b'), outage]) note(error, { place: 1 });
    clock.now = 59_999;
    note(overloaded('a'), {});
    clock.now += 59_999; // the reason still lasted 60 s ago
    note(overloaded('a'), {});
    assert.deepEqual(
        lines.map(({ level, reason, place }) => ({ level, reason, place })),
        ['queue a', 'database', 'queue b'].map((reason) => ({ level: 40, reason, place: 1 })),
    );
    assert.deepEqual(
        lines.map(({ err }) => (err as Error | undefined)?.message),
        [undefined, 'too many clients', undefined],
    );
    clock.now += 60_000;
    note(overloaded('a'), {});
    assert.equal(lines.length, 4, 'it began again');
});
