import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { newId } from '../platform/ids.ts';
import type { BenchEnvironment } from './jobs/job.ts';
import { type Stack, type StackOptions, startStack } from './stack.ts';
import { buildWorld } from './world.ts';

/** What every measurement stands on. */
export interface Bed {
    stack: Stack;
    environment: BenchEnvironment;
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
        environment: { world, db, credentialId: newId },
        requests_file: join(folder, 'requests'),
        log_file: join(folder, 'log'),
    };
}

/**
 * Runs a measurement to its end or to a signal, leaves nothing behind, and exits with 0 only where it is content, with 2 where
 * the options of the command line are none.
 */
export async function runAndClose<Options>(
    parse: (args: string[]) => Options,
    measure: (closing: AsyncDisposableStack, options: Options) => Promise<boolean>,
): Promise<never> {
    const options = optionsOf(parse);
    const closing = new AsyncDisposableStack();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
        process.once(signal, () => closing.disposeAsync().finally(() => process.exit(1)));
    }
    let content = false;
    try {
        content = await measure(closing, options);
    } finally {
        await closing.disposeAsync();
    }
    process.exit(content ? 0 : 1);
}

function optionsOf<Options>(parse: (args: string[]) => Options): Options {
    try {
        return parse(process.argv.slice(2));
    } catch (error) {
        console.error((error as Error).message); // all that is thrown there
        process.exit(2);
    }
}
