import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deadlineExceeded } from '../../../platform/context.ts';
import { type Finding, findingList } from '../finding.ts';

/** Pino's level `error`. */
const ERROR_LEVEL = 50;

/** Of a line that the service logs. */
interface Line {
    level: number;
    msg?: string;
    method?: string;
    err?: { type: string; message: string; stack: string };
}

/** What the processes of the service have logged as errors: no input may bring them to that, except that a call ran out of its time. */
export function loggedErrors(log_dir: string): Finding[] {
    const findings = findingList();
    for (const file of globSync('{local,grpc}-*.log', { cwd: log_dir })) {
        for (const text of readFileSync(join(log_dir, file), 'utf8').split('\n')) {
            const reason = errorIn(text);
            if (reason !== undefined) findings.add({ target: 'log', input: Buffer.from(text), reason });
        }
    }
    return findings.all();
}

/** A line that is none of the service's own is one too: Node writes those when a process ends in the middle. */
function errorIn(text: string): string | undefined {
    if (text === '') return undefined;
    if (!text.startsWith('{')) return text;
    const { level, msg, method, err } = JSON.parse(text) as Line; // pino's
    if (level < ERROR_LEVEL || err?.message === deadlineExceeded().message) return undefined;
    return `${method ?? msg} logs: ${err?.stack ?? msg}`;
}
