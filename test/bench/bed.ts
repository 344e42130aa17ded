import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { newId } from '../../platform/ids.ts';
import type { Ground } from './jobs/job.ts';
import { type Stack, type StackOptions, startStack } from './stack.ts';
import { buildWorld } from './world.ts';

/** What every measurement stands on. */
export interface Bed {
    stack: Stack;
    ground: Ground;
    /** Where requests are put for the load's process. */
    requests_file: string;
    /** For log lines that nobody reads. */
    log_file: string;
}

/** Starts the service with accounts of its own; `closing` ends and removes it all. */
export async function openBed(
    closing: AsyncDisposableStack,
    options: StackOptions & { accounts?: number },
): Promise<Bed> {
    const folder = mkdtempSync(join(tmpdir(), 'bench-requests-'));
    closing.defer(() => rmSync(folder, { recursive: true, force: true }));
    const stack = await startStack(options);
    closing.defer(() => stack.stop());
    const db = new Client({ connectionString: stack.database_url });
    await db.connect();
    closing.defer(() => db.end());
    const world = await buildWorld(stack, options.accounts);
    return {
        stack,
        ground: { world, db, credentialId: newId },
        requests_file: join(folder, 'requests'),
        log_file: join(folder, 'log'),
    };
}

/** Runs a measurement to its end or to a signal, leaves nothing behind, and exits with 0 only where it is content. */
export async function runAndClose(measure: (closing: AsyncDisposableStack) => Promise<boolean>): Promise<never> {
    const closing = new AsyncDisposableStack();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
        process.once(signal, () => closing.disposeAsync().finally(() => process.exit(1)));
    }
    let content = false;
    try {
        content = await measure(closing);
    } finally {
        await closing.disposeAsync();
    }
    process.exit(content ? 0 : 1);
}
