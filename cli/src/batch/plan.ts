import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { CliError, EXIT, fileError } from '../errors.ts';
import type { Fields } from './items.ts';
import { MAX_ITEMS } from './requests.ts';

/**
 * How a batch is divided into requests. It is stored beside the results before anything is sent, because a second run
 * must send the same requests: the service knows the items of a request by its Idempotency-Key and their place in it.
 */
export interface Plan {
    /** What the batch does: `issue`. */
    batch: string;
    /** When the first run began, or the last one that was told to continue late. */
    started_at: string;
    /** SHA-256 of the input. */
    from_sha256: string;
    /** What all requests have in common, without secrets. */
    settings: Fields;
    /** Largest number of items per request, for the requests that begin after so many items. */
    sizes: Array<{ after: number; items: number }>;
}

export function newPlan(batch: string, fromSha256: string, settings: Fields): Plan {
    const startedAt = new Date().toISOString();
    return { batch, started_at: startedAt, from_sha256: fromSha256, settings, sizes: [{ after: 0, items: MAX_ITEMS }] };
}

/** How long the service knows an Idempotency-Key, in hours, if its settings say nothing else. */
export const KNOWN_HOURS = 24;

/** Whether the service may have forgotten the Idempotency-Keys of an earlier run. */
export function isLate({ started_at }: Plan, nowMs = Date.now()): boolean {
    return !(nowMs - Date.parse(started_at) < KNOWN_HOURS * 3_600_000); // also if there is no time
}

/** The largest number of items of the request that begins after `start` items. */
export function sizeAt({ sizes }: Plan, start: number): number {
    return sizes.filter(({ after }) => after <= start).at(-1)?.items ?? MAX_ITEMS;
}

/** The Idempotency-Key of the request whose first item is on this line. It is the same in every run. */
export function idempotencyKey({ batch, from_sha256, settings }: Plan, line: number): string {
    const digest = createHash('sha256').update(JSON.stringify([batch, from_sha256, settings]));
    return `cred-${digest.digest('base64url')}-${line}`;
}

/** Returns the plan of an earlier run. Undefined if there was none. Throws CliError if that was another batch. */
export function readPlan(path: string, wanted: Plan): Plan | undefined {
    let plan: Plan;
    try {
        plan = JSON.parse(readFileSync(path, 'utf8'));
    } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined; // errors of node:fs have a code
        throw error instanceof SyntaxError
            ? new CliError(`${path} is damaged. Use another --out.`)
            : fileError(path, error);
    }
    const identity = ({ batch, from_sha256, settings }: Plan) => JSON.stringify([batch, from_sha256, settings]);
    if (identity(plan) === identity(wanted)) return plan;
    throw new CliError(`${path} belongs to another input or other options. Use another --out.`);
}

export function writePlan(path: string, plan: Plan): void {
    try {
        writeFileSync(path, `${JSON.stringify(plan)}\n`, { flush: true, mode: 0o600 });
    } catch (error) {
        throw fileError(path, error, EXIT.service);
    }
}
