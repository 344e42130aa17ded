import { ApiError, ConnectionError } from '../../../client/src/client.ts';
import { CliError, EXIT } from '../errors.ts';
import type { Fields } from './items.ts';

/** An item's result in the answer of the service. */
export interface Answered extends Fields {
    ok: boolean;
    code?: string;
}

/** The service refuses a request because it has more items than the whole limit of the caller. */
export class TooManyItems extends Error {
    readonly limit: number;

    constructor(limit: number) {
        super(`The caller may send ${limit} items at once.`);
        this.limit = limit;
    }
}

/** How often a request is sent while it fails. Waiting for the rate limit does not count. */
const TRIES = 6;
/** Wait after the first failure, in seconds. It doubles with each further one. */
const FIRST_WAIT_S = 1;
/** Wait if a refusal by the rate limit does not say how long, in seconds. */
const LIMIT_WAIT_S = 10;
/** Longest wait for the rate limit, in seconds, whatever the refusal says. A window lasts a minute. */
const MAX_LIMIT_WAIT_S = 900;
/** How often a request may wait for the rate limit. Other programs with the same key may be served first. */
const LIMIT_WAITS = 30;
/** What an item says that was not done for lack of time. It is done if the request is repeated. */
const UNFINISHED = ['deadline', 'unavailable'];

/**
 * Sends a request until it is answered, and waits as the rate limit asks. `send` must be safe to repeat. `pause` waits,
 * and may show why. Throws TooManyItems, CliError if the rate limit refuses it too often, or the last error.
 */
export async function deliver<Result extends Answered>(
    send: () => Promise<Result[]>,
    pause: (seconds: number, why: string) => Promise<void>,
): Promise<Result[]> {
    let limited = 0;
    for (let failures = 0; ; ) {
        try {
            const results = await send();
            const isDone = !results.some(({ code = '' }) => UNFINISHED.includes(code));
            if (isDone || ++failures >= TRIES) return results;
        } catch (error) {
            if (error instanceof ApiError && error.status === 429) {
                if (++limited > LIMIT_WAITS) throw refusedTooOften(limited);
                await pause(limitWaitS(error), 'for the rate limit');
                continue;
            }
            if (!isPassing(error) || ++failures >= TRIES) throw limitOf(error) ?? error;
        }
        await pause(FIRST_WAIT_S * 2 ** (failures - 1), 'for the service');
    }
}

const limitWaitS = ({ retry_after }: ApiError): number =>
    Math.max(1, Math.min(retry_after ?? LIMIT_WAIT_S, MAX_LIMIT_WAIT_S));

const refusedTooOften = (times: number): CliError =>
    new CliError(
        `The rate limit has refused the same request ${times} times, although cred waited. Run the same command again later: with --out it goes on where this run ended.`,
        EXIT.service,
    );

const isPassing = (error: unknown): boolean =>
    error instanceof ConnectionError || (error instanceof ApiError && error.status >= 500);

function limitOf(error: unknown): TooManyItems | undefined {
    if (!(error instanceof ApiError) || error.status !== 400) return undefined;
    const limit = /may send (\d+) items at once/.exec(error.detail)?.[1];
    return limit === undefined ? undefined : new TooManyItems(Number(limit));
}
