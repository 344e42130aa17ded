import { AddressError, connectionError, sendingError } from './errors.ts';
import type { WireRequest } from './request.ts';

/** `fetch`, or a replacement. */
export type Send = (url: string, init: RequestInit) => Promise<Response>;

/** A complete answer. */
export interface Received {
    status: number;
    headers: Headers;
    text: string;
}

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];

/** Sends a request once. Throws an AddressError, a ConnectionError, or the reason of `signal`. */
export async function receive(send: Send, request: WireRequest, signal: AbortSignal): Promise<Received> {
    return whole(await answered(send, request, signal), signal);
}

/** Sends a request once, and returns when its answer begins. Throws as receive() does. */
export async function answered(send: Send, { url, ...request }: WireRequest, signal: AbortSignal): Promise<Response> {
    // The service uses neither redirects nor cookies. Following a redirect could send a secret to another host.
    const guarded = { redirect: 'manual', credentials: 'omit' } as const;
    const response = await send(url, { ...request, ...guarded, signal }).catch((error: unknown) => {
        throw signal.aborted ? signal.reason : sendingError(error, url);
    });
    // A browser hides the status of a redirect that it does not follow.
    if (response.type === 'opaqueredirect' || REDIRECTS.includes(response.status)) {
        await response.body?.cancel().catch(() => undefined); // this frees the connection, if it still exists
        throw new AddressError(`${new URL(url).origin} redirects: base_url must be where the service itself answers.`);
    }
    return response;
}

/** Reads the rest of an answer. Throws as receive() does. */
export async function whole(response: Response, signal: AbortSignal): Promise<Received> {
    try {
        return { status: response.status, headers: response.headers, text: await response.text() };
    } catch (error) {
        throw signal.aborted ? signal.reason : connectionError(error);
    }
}
