import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { terminate } from '../../deploy/local/processes.ts';
import { processesOf } from '../full/process/launch/launch.ts';

/** Folder of this run, with its databases, logs and temporary files. It is removed when the run ends. */
export const workDir = mkdtempSync(join(tmpdir(), 'credential-test-'));
/** Temporary folder of all tests. endAll finds the processes that tests start by this path in their environment. */
const temporaryDir = join(workDir, 'tmp');
/** What ends with this run. */
export const closing = new AsyncDisposableStack();
/** Time that processes get to exit after an interrupt before endAll kills them, in milliseconds. */
const TIMEOUT_MS = 15_000;
let interruption: Promise<never> | undefined;

/** Makes the folders, and ends all that this run has started if it is interrupted. */
export function begin(): void {
    mkdirSync(temporaryDir);
    process.env['TMPDIR'] = temporaryDir;
    closing.defer(() => rmSync(workDir, { recursive: true, force: true }));
    for (const [signal, code] of [['SIGINT', 130] as const, ['SIGTERM', 143] as const]) {
        process.once(signal, () => {
            interruption ??= endAll(code);
        });
    }
}

/** Returns at once. If this run has been interrupted, it never returns. */
export async function exceptInterrupted(): Promise<void> {
    await interruption;
}

/** Ends all processes that this run started, directly or indirectly, then the databases, then this process. */
async function endAll(code: number): Promise<never> {
    const started = () => processesOf(temporaryDir).filter(({ pid }) => pid !== process.pid);
    const how = { gently: 'SIGTERM', timeoutMs: TIMEOUT_MS, firmly: 'SIGKILL' } as const;
    try {
        for (let found = started(); found.length > 0; found = started()) {
            await Promise.all(found.map(({ pid }) => terminate(pid, how)));
        }
        await closing.disposeAsync();
    } finally {
        process.exit(code);
    }
}
