import assert from 'node:assert/strict';
import { Agent, type IncomingHttpHeaders, request } from 'node:http';

/** Requests that are under way to one gateway at a time: far below what a gateway refuses as too much at once. */
const UNDER_WAY = 32;

export interface RemoteError {
    /** Of which gateway. */
    url: string;
    status: number;
    headers: IncomingHttpHeaders;
}

export interface Sent {
    method?: string;
    path: string;
    headers: Record<string, string>;
    body?: unknown;
}

/** Sends `count` requests to the gateways as fast as each answers; `sentOf` gives each one by its index. */
export async function sendToAll(
    urls: string[],
    count: number,
    sentOf: (index: number) => Sent,
): Promise<RemoteError[]> {
    const agent = new Agent({ keepAlive: true });
    const answers: RemoteError[] = [];
    let next = 0;
    const sender = async (url: string): Promise<void> => {
        while (next < count) answers.push(await sendOne(agent, url, sentOf(next++)));
    };
    try {
        await Promise.all(urls.flatMap((url) => Array.from({ length: UNDER_WAY }, () => sender(url))));
    } finally {
        agent.destroy();
    }
    return answers;
}

function sendOne(agent: Agent, url: string, { method = 'GET', path, headers, body }: Sent): Promise<RemoteError> {
    const { promise, resolve, reject } = Promise.withResolvers<RemoteError>();
    const typed = body === undefined ? headers : { ...headers, 'Content-Type': 'application/json' };
    const sending = request(new URL(path, url), { method, agent, headers: typed }, (response) => {
        response.resume();
        // A response that the parser has read has a status.
        const status = response.statusCode as number;
        response.on('end', () => resolve({ url, status, headers: response.headers }));
        response.on('error', reject);
    });
    sending.on('error', reject);
    sending.end(body === undefined ? undefined : JSON.stringify(body));
    return promise;
}

const header = ({ headers }: RemoteError, name: string): number => Number(headers[`x-ratelimit-${name}`]);

/** How many were answered with `counted`; any other answer but 429 is a failure. */
export function countOf(answers: RemoteError[], counted: number): number {
    const others = answers.filter(({ status }) => status !== counted && status !== 429);
    assert.deepEqual(
        others.map(({ status }) => status),
        [],
    );
    return answers.filter(({ status }) => status === counted).length;
}

/** Answers by the end of the window in which they were decided: a slow machine may need several. */
export function windowsOf(answers: RemoteError[]): RemoteError[][] {
    return [...Map.groupBy(answers, (answer) => header(answer, 'reset')).values()];
}

/** A window admits (with 400) all that is sent up to the limit, and tells each call another number of calls that are left. */
export function assertExact(window: RemoteError[], limit: number): void {
    assert.equal(countOf(window, 400), Math.min(window.length, limit));
    const left = (status: number) =>
        window.filter((answer) => answer.status === status).map((answer) => header(answer, 'remaining'));
    assert.deepEqual(
        left(400).sort((one, other) => other - one),
        left(400).map((_, index) => limit - 1 - index),
    );
    assert.ok(left(429).every((remaining) => remaining === 0));
}

/** The sum of all samples that the pattern matches in what the process tells of itself at `target`. */
export async function metric(target: string, pattern: RegExp): Promise<number> {
    const response = await fetch(`http://${target}/metrics`);
    const samples = [...(await response.text()).matchAll(pattern)];
    return samples.reduce((sum, [, value]) => sum + Number(value), 0);
}
