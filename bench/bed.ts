import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { newId } from '../platform/ids.ts';
import type { BenchEnvironment } from './jobs/job.ts';
import { type Stack, type StackOptions, startStack } from './stack.ts';
import { buildWorld } from './world.ts';

/** The running service and the files that every measurement needs. */
export interface Bed {
    stack: Stack;
    environment: BenchEnvironment;
    /** The file from which the load process reads its requests. */
    requestsFile: string;
    /** The log file of the measured floors. Nothing reads it. */
    logFile: string;
}

/**
 * Starts a service with its own databases and accounts. Disposing `closing` stops the service and removes its files.
 */
export async function openBed(
    closing: AsyncDisposableStack,
    options: StackOptions & { accounts?: number },
): Promise<Bed> {
    const folder = mkdtempSync(join(tmpdir(), 'bench-requests-'));
    closing.defer(() => rmSync(folder, { recursive: true, force: true }));
    const stack = await startStack(options);
    closing.defer(() => stack.stop());
    const db = new Client({ connectionString: stack.databaseUrl });
    await db.connect();
    closing.defer(() => db.end());
    const world = await buildWorld(stack, options.accounts);
    return {
        stack,
        environment: { world, db, credentialId: newId },
        requestsFile: join(folder, 'requests'),
        logFile: join(folder, 'log'),
    };
}

/**
 * Runs a measurement until it ends or a signal arrives, and then cleans up. Exits with 0 if `measure` resolves to true,
 * with 1 if it resolves to false, fails or is stopped by a signal, and with 2 if the command line has an invalid
 * option.
 */
export async function runAndClose<Options>(
    parse: (args: string[]) => Options,
    measure: (closing: AsyncDisposableStack, options: Options) => Promise<boolean>,
): Promise<never> {
    const options = parsedOptions(parse);
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

/** Parses the options of the command line. Exits with 2 if one is invalid. */
export function parsedOptions<Options>(parse: (args: string[]) => Options): Options {
    try {
        return parse(process.argv.slice(2));
    } catch (error) {
        console.error((error as Error).message); // parsers throw nothing else
        process.exit(2);
    }
}
