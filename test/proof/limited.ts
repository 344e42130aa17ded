import assert from 'node:assert/strict';
import { Agent, type IncomingHttpHeaders, request } from 'node:http';

/** Concurrent requests to one gateway: far fewer than the number at which a gateway sheds load. */
const UNDER_WAY = 32;

export interface HttpAnswer {
    /** The gateway that answered. */
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

/** Sends `count` requests to the gateways as fast as each answers. `sentOf` returns the request with an index. */
export async function sendToAll(urls: string[], count: number, sentOf: (index: number) => Sent): Promise<HttpAnswer[]> {
    const agent = new Agent({ keepAlive: true });
    const answers: HttpAnswer[] = [];
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

function sendOne(agent: Agent, url: string, { method = 'GET', path, headers, body }: Sent): Promise<HttpAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>();
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

const header = ({ headers }: HttpAnswer, name: string): number => Number(headers[`x-ratelimit-${name}`]);

/** Returns how many answers have the status `counted`. Fails on any other status except 429. */
export function countOf(answers: HttpAnswer[], counted: number): number {
    const others = answers.filter(({ status }) => status !== counted && status !== 429);
    assert.deepEqual(
        others.map(({ status }) => status),
        [],
    );
    return answers.filter(({ status }) => status === counted).length;
}

/** Groups answers by the end of their window. A slow machine may need several windows. */
export function windowsOf(answers: HttpAnswer[]): HttpAnswer[][] {
    return [...Map.groupBy(answers, (answer) => header(answer, 'reset')).values()];
}

/** Checks that a window admits (with 400) all calls up to the limit, each with another number of remaining calls. */
export function assertExact(window: HttpAnswer[], limit: number): void {
    assert.equal(countOf(window, 400), Math.min(window.length, limit));
    const left = (status: number) =>
        window.filter((answer) => answer.status === status).map((answer) => header(answer, 'remaining'));
    assert.deepEqual(
        left(400).sort((one, other) => other - one),
        left(400).map((_, index) => limit - 1 - index),
    );
    assert.ok(left(429).every((remaining) => remaining === 0));
}

/** The sum of all samples that the pattern matches in the metrics of the process at `target`. */
export async function metric(target: string, pattern: RegExp): Promise<number> {
    const response = await fetch(`http://${target}/metrics`);
    const samples = [...(await response.text()).matchAll(pattern)];
    return samples.reduce((sum, [, value]) => sum + Number(value), 0);
}
