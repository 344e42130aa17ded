import { once } from 'node:events';
import { type IncomingMessage, type RequestOptions, request } from 'node:http';
import { text } from 'node:stream/consumers';

/**
 * Sends a request on a connection of its own and returns the status of its answer. `fetch` may take a kept connection
 * to a process that has just ended, and fails then.
 */
export async function statusOf(url: string, options: RequestOptions = {}, body = ''): Promise<number | undefined> {
    const sent = request(url, { ...options, agent: false }).end(body);
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    await text(answer);
    return answer.statusCode;
}
