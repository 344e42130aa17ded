import { Resolver } from 'node:dns/promises';
import type { IncomingMessage } from 'node:http';
import { AppError } from '../../../platform/errors.ts';
import { reachableAddresses } from './addresses.ts';
import { receiverAgent } from './connections.ts';
import { ExchangeFailed, exchange, type Message } from './exchange.ts';
import { AddressRefused, judgedLookup, type NameResolver } from './lookup.ts';
import { retryAfterMs } from './retry-after.ts';
import { requireWebhookUrl } from './url.ts';

/**
 * Sends webhooks to addresses that strangers choose, and goes nowhere else: the URL is judged before (url.ts), the address
 * when the socket connects (lookup.ts), and a redirect is an answer like any other.
 */

/** For how long a delivery waits for the answer, in milliseconds, with look-up and handshake. Beyond it: it fails. */
const DELIVERY_TIMEOUT_MS = 15_000;
/** Time limit for the first answer of a DNS server, in milliseconds. Beyond it: it is asked once more. */
const LOOKUP_TIMEOUT_MS = 3_000;
/** How often a DNS server is asked. Beyond it: the delivery fails. */
const LOOKUP_TRIES = 2;

export interface Delivery {
    url: string;
    headers: Record<string, string>;
    body: string;
}

export type Outcome =
    /** Any status of HTTP, also a redirect. `retryAfterMs`: how long the receiver asks to wait, in milliseconds. */
    | { kind: 'answered'; status: number; retryAfterMs: number | undefined }
    /** The URL or the address is not allowed. Nothing was connected. */
    | { kind: 'refused'; reason: string }
    /** No answer came in time, or TLS or the connection failed. */
    | { kind: 'failed'; reason: string };

export interface Sender {
    /** Never rejects. A reason is a sentence for the owner of the webhook. */
    send(delivery: Delivery, signal?: AbortSignal): Promise<Outcome>;
    /** Breaks off the deliveries under way, and closes all connections. */
    close(): Promise<void>;
}

interface SenderOptions {
    /** Networks that are not public but allowed: those of WEBHOOK_NETWORKS. */
    allowedNetworks: readonly string[];
    /** Certificates of authorities, in PEM, that are trusted instead of those of Node. */
    ca?: string;
    resolver?: NameResolver;
    timeoutMs?: number;
}

/** Returns a function that delivers until a signal ends it, and one that closes the connections. */
function deliverer({ allowedNetworks, ca, resolver }: SenderOptions) {
    const isReachable = reachableAddresses(allowedNetworks);
    const names = resolver ?? new Resolver({ timeout: LOOKUP_TIMEOUT_MS, tries: LOOKUP_TRIES });
    const agent = receiverAgent({ lookup: judgedLookup(names, isReachable), ca });

    /** A kept connection that the receiver has just closed says nothing, so another one is tried. */
    async function answerTo(message: Message, signal: AbortSignal): Promise<IncomingMessage> {
        for (;;) {
            try {
                return await exchange(message, { agent, signal });
            } catch (error) {
                if (!(error instanceof ExchangeFailed) || !error.wasKept || signal.aborted) throw error;
            }
        }
    }

    async function deliver({ url, headers, body }: Delivery, signal: AbortSignal): Promise<Outcome> {
        try {
            const message = { url: requireWebhookUrl(url, isReachable), headers, body: Buffer.from(body) };
            const { statusCode = 0, headers: answered } = await answerTo(message, signal);
            return { kind: 'answered', status: statusCode, retryAfterMs: retryAfterMs(answered['retry-after']) };
        } catch (error) {
            return signal.aborted ? { kind: 'failed', reason: String(signal.reason) } : unanswered(error);
        }
    }

    return { deliver, closeAll: () => agent.destroy() };
}

export function webhookSender(options: SenderOptions): Sender {
    const { deliver, closeAll } = deliverer(options);
    const limitMs = options.timeoutMs ?? DELIVERY_TIMEOUT_MS;
    const underWay = new Map<AbortController, Promise<Outcome>>();
    return {
        async send(delivery, signal) {
            const lifetime = new AbortController();
            const stop = () => lifetime.abort('The delivery was broken off.');
            const timer = setTimeout(() => lifetime.abort(`No answer came within ${limitMs / 1_000} s.`), limitMs);
            signal?.addEventListener('abort', stop);
            if (signal?.aborted) stop();
            const outcome = deliver(delivery, lifetime.signal);
            underWay.set(lifetime, outcome);
            return outcome.finally(() => {
                clearTimeout(timer);
                signal?.removeEventListener('abort', stop);
                underWay.delete(lifetime);
            });
        },
        async close() {
            for (const lifetime of underWay.keys()) lifetime.abort('The sender was closed.');
            await Promise.all(underWay.values());
            closeAll();
        },
    };
}

const REASONS = {
    connect: 'No connection to the host was possible',
    handshake: 'The TLS handshake with the host failed',
    answer: 'The host gave no valid HTTP answer',
};

/** Why no answer came. The code is one of Node or OpenSSL. */
function unanswered(error: unknown): Outcome {
    if (error instanceof AppError) return { kind: 'refused', reason: error.detail };
    if (!(error instanceof ExchangeFailed)) throw error;
    const { stage, cause } = error;
    if (cause instanceof AddressRefused)
        return { kind: 'refused', reason: 'The name of the host has an address that is not public.' };
    const { code } = cause as NodeJS.ErrnoException;
    return { kind: 'failed', reason: `${REASONS[stage]}${code ? ` (${code})` : ''}.` };
}
