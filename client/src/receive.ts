import { connectionError } from './errors.ts';
import type { WireRequest } from './request.ts';

/** `fetch`, or what does its work. */
export type Send = (url: string, init: RequestInit) => Promise<Response>;

/** An answer that has arrived as a whole. */
export interface Received {
    status: number;
    headers: Headers;
    text: string;
}

/** Sends a request once. What comes in the place of an answer is a ConnectionError, or what `signal` was aborted with. */
export async function receive(send: Send, { url, ...request }: WireRequest, signal: AbortSignal): Promise<Received> {
    try {
        // The service redirects nobody, and knows no cookies: nothing may lead a secret elsewhere.
        const guarded = { redirect: 'error', credentials: 'omit' } as const;
        const response = await send(url, { ...request, ...guarded, signal });
        return { status: response.status, headers: response.headers, text: await response.text() };
    } catch (error) {
        throw signal.aborted ? signal.reason : connectionError(error);
    }
}
