import { readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';

export interface Counts {
    passed: number;
    failed: number;
    /** Names of skipped tests, with the reason. */
    skipped: Array<{ name: string; reason: string }>;
    /** CPU time of the processes of the test files, in seconds. */
    cpuSeconds: number;
}

type TestResult = Extract<TestEvent, { type: 'test:pass' | 'test:fail' }>;

/** Prints failed tests and suites with the error, and slow tests. Writes the counts to the file that TEST_COUNTS names. */
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
    const counts: Counts = { passed: 0, failed: 0, skipped: [], cpuSeconds: 0 };
    for await (const event of events) {
        if (event.type === 'test:stdout' || event.type === 'test:stderr') yield event.data.message;
        if (event.type !== 'test:pass' && event.type !== 'test:fail') continue;
        const { name, file, details, skip } = event.data;
        if (details.type === 'suite' && !failedItself(event)) continue;
        if (skip !== undefined) {
            counts.skipped.push({ name, reason: String(skip) });
        } else if (event.type === 'test:pass') {
            counts.passed++;
            if (details.duration_ms > 5_000) yield `slow: ${Math.round(details.duration_ms)} ms: ${name}\n`;
        } else {
            counts.failed++;
            const { error } = event.data.details;
            yield `\nFAILED ${relative('', file ?? '')}: ${name}\n${inspect(error.cause ?? error, { depth: 6 })}\n`;
        }
    }
    counts.cpuSeconds = cpuSeconds();
    const file = process.env['TEST_COUNTS'];
    if (file) writeFileSync(file, JSON.stringify(counts));
}

/** Whether a suite failed for a reason of its own, such as a hook, and not only because tests in it failed. */
function failedItself({ type, data }: TestResult): boolean {
    if (type !== 'test:fail') return false;
    const { error } = data.details;
    return 'failureType' in error && error.failureType !== 'subtestsFailed'; // Node's word, as in its TAP output
}

/**
 * CPU time in seconds of this process, and of all that it has started and that have ended, with their descendants. It
 * depends little on what else the machine does. Source: utime, stime, cutime and cstime of proc_pid_stat(5), in
 * hundredths of a second.
 */
export function cpuSeconds(): number {
    const [, fields = ''] = readFileSync('/proc/self/stat', 'utf8').split(') ');
    return (
        fields
            .split(' ')
            .slice(11, 15)
            .map(Number)
            .reduce((sum, time) => sum + time, 0) / 100
    );
}
