import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readDateTime, readExpiry } from '../../../tokens/times.ts';

test('a date-time with an offset becomes the same instant in UTC, truncated to milliseconds', () => {
    const cases = {
        '2026-03-04T05:06:07.089Z': '2026-03-04T05:06:07.089Z',
        '2026-03-04T05:06:07Z': '2026-03-04T05:06:07.000Z',
        '2026-03-04T05:06Z': '2026-03-04T05:06:00.000Z',
        '2026-03-04t05:06:07z': '2026-03-04T05:06:07.000Z',
        '2026-03-04T05:06:07.1Z': '2026-03-04T05:06:07.100Z',
        '2026-03-04T05:06:07.999999999Z': '2026-03-04T05:06:07.999Z',
        '2026-03-04T05:06:07+02:00': '2026-03-04T03:06:07.000Z',
        '2026-03-04T05:06:07-0330': '2026-03-04T08:36:07.000Z',
        '2026-03-04T05:06:07+14': '2026-03-03T15:06:07.000Z',
        '2026-01-01T00:00:00+23:59': '2025-12-31T00:01:00.000Z',
        '2024-02-29T23:59:59-00:01': '2024-03-01T00:00:59.000Z',
        '0001-01-01T00:00:00Z': '0001-01-01T00:00:00.000Z',
        '0099-01-01T00:00:00Z': '0099-01-01T00:00:00.000Z',
        '1969-12-31T23:59:59.999Z': '1969-12-31T23:59:59.999Z',
        '9999-12-31T23:59:59.999Z': '9999-12-31T23:59:59.999Z',
    };
    for (const [text, utc] of Object.entries(cases)) assert.equal(readDateTime(text), utc, text);
});

test('a date alone is an expiry at its midnight in UTC, but not a date-time', () => {
    assert.equal(readExpiry('2026-03-04'), '2026-03-04T00:00:00.000Z');
    assert.equal(readExpiry('2026-03-04T05:06:07+02:00'), '2026-03-04T03:06:07.000Z');
    assert.equal(readDateTime('2026-03-04'), undefined);
});

test('any other text is no instant', () => {
    const days = ['2026-02-29', '2026-02-30', '2026-04-31', '2026-13-01', '2026-00-01', '2026-01-00', '2026-01-32'];
    const dates = [...days, '1900-02-29', '10000-01-01', '+275760-09-14', '-000001-01-01', '0000-01-01', '26-01-01'];
    const times = [
        '24:00Z',
        '23:60Z',
        '23:59:60Z',
        '5:06Z',
        '05:06:07',
        '05:06:07.Z',
        '05:06:07,5Z',
        '05Z',
        '05:06:07 Z',
    ];
    const offsets = ['+24:00', '+1:00', '+02:60', '+02:', '+02:0', '+', '+00:00Z', 'UTC', ' +02:00'];
    const texts = [
        ...dates.flatMap((date) => [date, `${date}T00:00:00Z`]),
        ...times.map((time) => `2026-01-01T${time}`),
        ...offsets.map((offset) => `2026-01-01T00:00:00${offset}`),
        ...['', 'x', '1735689600', '2026', '2026-01', '20260101', '2026-W01-1', '2026-001', '2026-01-01 00:00:00Z'],
        ...['2026-01-01T00:00:00Z\n', ' 2026-01-01', '2026-01-01\0', '٢٠٢٦-01-01'],
        // these are in the years 0 and 10000 in UTC
        ...['0001-01-01T00:00:00+00:01', '9999-12-31T23:59:59-00:01'],
    ];
    for (const text of texts) assert.equal(readExpiry(text), undefined, text);
});

test('every instant of the years 1 to 9999 is read correctly at any offset', () => {
    const instant = fc.date({
        min: new Date('0001-01-02T00:00:00Z'),
        max: new Date('9999-12-30T00:00:00Z'),
        noInvalidDate: true,
    });
    const offsetMinutes = fc.integer({ min: -1_439, max: 1_439 });
    const two = (value: number) => String(value).padStart(2, '0');
    fc.assert(
        fc.property(instant, offsetMinutes, (date, minutes) => {
            const local = new Date(date.getTime() + minutes * 60_000).toISOString().slice(0, -1);
            const size = Math.abs(minutes);
            const offset = `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
            assert.equal(readDateTime(local + offset), date.toISOString());
        }),
    );
});
