import { appendFileSync, existsSync, statSync, truncateSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { CliError, EXIT, fileError } from '../errors.ts';
import { jsonLine } from '../terminal/text.ts';
import type { World } from '../world.ts';
import { linesOf } from './lines.ts';
import { lock } from './lock.ts';
import { type Plan, readPlan, writePlan } from './plan.ts';

/** Longest line of results, in bytes. A credential with the largest claims has about 90 KiB. */
const MAX_RESULT_BYTES = 1 << 20;

/** The result of an item, as it is written. */
export interface Result extends Record<string, unknown> {
    /** The line of the input on which the item begins. */
    line: number;
    ok: boolean;
    /** Only when verifying. */
    valid?: boolean;
}

export const isGood = ({ ok, valid }: Pick<Result, 'ok' | 'valid'>): boolean => ok && valid !== false;

/** Where results go. */
export interface Results {
    plan: Plan;
    /** Whether an earlier run may have sent a request whose results are missing. */
    resumed: boolean;
    /** How many results an earlier run has written, how many of them failed, and the line of the last one. */
    done: number;
    failed: number;
    lastLine: number | undefined;
    write(results: readonly Result[]): Promise<void>;
    /** Stores a plan that has changed, where there is a later run that needs it. */
    storePlan(plan: Plan): void;
    /** Must be called when the batch ends. */
    close(): void;
}

/** Opens the place where results go: a file, or standard output. */
export async function openResults(plan: Plan, path: string | undefined, world: World): Promise<Results> {
    if (path === undefined) return printedResults(plan, (text) => written(world.stdout, text));
    const stats = statSync(path, { throwIfNoEntry: false });
    if (!stats || stats.isFile()) return storedResults(plan, path);
    // A pipe or a device does not tell how far an earlier run has come.
    const file = await open(path, 'a').catch((error: unknown) => {
        throw fileError(path, error);
    });
    const write = (text: string) =>
        file.writeFile(text).catch((error: unknown) => {
            throw fileError(path, error, EXIT.service);
        });
    return { ...printedResults(plan, write), close: () => void file.close() };
}

/** Waits until a text is written. It never resolves if nobody reads the text any more: then main.ts ends the process. */
export const written = (stream: Writable, text: string): Promise<void> =>
    new Promise((resolve) => {
        stream.write(text, (error) => {
            if (!error) resolve();
        });
    });

/** Results go to a stream. A later run begins again. */
function printedResults(plan: Plan, write: (text: string) => Promise<void>): Results {
    return {
        plan,
        resumed: false,
        done: 0,
        failed: 0,
        lastLine: undefined,
        write: (results) => write(results.map(jsonLine).join('')),
        storePlan: () => undefined,
        close: () => undefined,
    };
}

/** Results go to a file. If an earlier run has written some of them there, they are continued. */
export async function storedResults(plan: Plan, path: string): Promise<Results> {
    const unlock = lock(path);
    try {
        return { ...(await continued(plan, path)), close: unlock };
    } catch (error) {
        unlock();
        throw error;
    }
}

async function continued(plan: Plan, path: string): Promise<Omit<Results, 'close'>> {
    const planPath = `${path}.plan`;
    const earlier = readPlan(planPath, plan);
    if (earlier === undefined) {
        if (existsSync(path) && statSync(path).size > 0) {
            throw new CliError(
                `${path} has a content, but no ${planPath} says where it comes from. Use another --out.`,
            );
        }
        writePlan(planPath, plan);
    }
    const written = await writtenResults(path);
    return {
        plan: earlier ?? plan,
        resumed: earlier !== undefined,
        ...written,
        async write(results) {
            try {
                appendFileSync(path, results.map(jsonLine).join(''), { mode: 0o600 });
            } catch (error) {
                throw fileError(path, error, EXIT.service);
            }
        },
        storePlan: (changed) => writePlan(planPath, changed),
    };
}

/** Counts the complete lines of a file of results, and cuts a line that is not complete. */
async function writtenResults(path: string): Promise<Pick<Results, 'done' | 'failed' | 'lastLine'>> {
    const written: Pick<Results, 'done' | 'failed' | 'lastLine'> = { done: 0, failed: 0, lastLine: undefined };
    if (!existsSync(path)) return written;
    let end = 0;
    for await (const { number, text, complete, end: lineEnd } of linesOf(path, MAX_RESULT_BYTES)) {
        if (!complete) break;
        const result = parsed(text);
        if (result === undefined) throw new CliError(`Line ${number} of ${path} is no result. Use another --out.`);
        end = lineEnd;
        written.done++;
        written.lastLine = result.line;
        if (!isGood(result)) written.failed++;
    }
    truncateSync(path, end);
    return written;
}

function parsed(text: string): Result | undefined {
    try {
        const result = JSON.parse(text);
        return typeof result.line === 'number' && typeof result.ok === 'boolean' ? result : undefined;
    } catch {
        return undefined;
    }
}
