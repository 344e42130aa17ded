import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deadlineExceeded } from '../../../platform/context.ts';
import { type Finding, findingList } from '../finding.ts';

/** Pino's level `error`. */
const ERROR_LEVEL = 50;

/** The fields that are read of a log line. */
interface Line {
    level: number;
    msg?: string;
    method?: string;
    err?: { type: string; message: string; stack: string };
}

/**
 * Findings from the logs of the service's processes. No input may cause a line of level `error`, except for a call that
 * exceeds its deadline.
 */
export function loggedErrors(logDir: string): Finding[] {
    const findings = findingList();
    for (const file of globSync('{local,grpc}-*.log', { cwd: logDir })) {
        for (const text of readFileSync(join(logDir, file), 'utf8').split('\n')) {
            const reason = errorIn(text);
            if (reason !== undefined) findings.add({ target: 'log', input: Buffer.from(text), reason });
        }
    }
    return findings.all();
}

/** The error in a log line. A line that is not JSON is an error too: Node writes such lines when a process crashes. */
function errorIn(text: string): string | undefined {
    if (text === '') return undefined;
    if (!text.startsWith('{')) return text;
    const { level, msg, method, err } = JSON.parse(text) as Line; // pino writes these fields
    if (level < ERROR_LEVEL || err?.message === deadlineExceeded().message) return undefined;
    return `${method ?? msg} logs: ${err?.stack ?? msg}`;
}
