import { once } from 'node:events';
import { appendFileSync, existsSync, statSync, truncateSync } from 'node:fs';
import { CliError, fileError } from '../errors.ts';
import { jsonLine } from '../terminal/text.ts';
import type { World } from '../world.ts';
import { linesOf } from './lines.ts';
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
}

/** Results go to standard output. A later run begins again. */
export function printedResults(plan: Plan, { stdout }: World): Results {
    return {
        plan,
        resumed: false,
        done: 0,
        failed: 0,
        lastLine: undefined,
        async write(results) {
            if (!stdout.write(results.map(jsonLine).join(''))) await once(stdout, 'drain');
        },
        storePlan: () => undefined,
    };
}

/** Results go to a file. If an earlier run has written some of them there, they are continued. */
export async function storedResults(plan: Plan, path: string): Promise<Results> {
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
                appendFileSync(path, results.map(jsonLine).join(''));
            } catch (error) {
                throw fileError(path, error);
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
