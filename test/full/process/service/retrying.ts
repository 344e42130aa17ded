import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

/** What the answers of all clients have shown. */
export interface Seen {
    /** Attempts that were answered, of any status. */
    answers: number;
    /** Attempts without an answer, because the connection broke. */
    lost: number;
    /** Answers with 503. */
    unavailable: number;
    /** Batches that were answered while some of their items were not issued. */
    partial: number;
    /** Answers that must not be. */
    faults: string[];
}

export interface Signer {
    /** An API key. */
    token: string;
    issuer_did: string;
    issuer_private_key: string;
}

/** A call that has an Idempotency-Key. */
export interface KeyedCall {
    kind: 'did' | 'issue' | 'batch';
    key: string;
    /** Whoever makes the call. */
    signer: Signer;
}

/** What a client has been answered: the body or, for a batch, the result of each item. */
type Result = readonly string[];

/** Number of items of each batch. The service works on 16 at a time, so a batch takes several statements. */
export const BATCH_ITEMS = 100;
/** Wait before a call is repeated, in milliseconds. */
const RETRY_AFTER_MS = 50;
/** Time after which a call without an answer has failed, in milliseconds. A batch may take 30 s. */
const GIVE_UP_MS = 60_000;

const PATHS = { did: '/v1/did', issue: '/v1/credentials', batch: '/v1/credentials/batch/issue' };

export function newCall(kind: KeyedCall['kind'], signer: Signer): KeyedCall {
    return { kind, key: randomUUID(), signer };
}

/** The subject of all credentials of a call, so that their rows can be found. */
export const subjectOf = ({ key }: KeyedCall): string => `did:web:${key}.example`;

function bodyOf(call: KeyedCall): object {
    const { token: _, ...signer } = call.signer;
    if (call.kind === 'did') return {};
    const item = (place: number) => ({ subject_did: subjectOf(call), credential_type: 'T', claims: { place } });
    if (call.kind === 'issue') return { ...signer, ...item(0) };
    return { ...signer, items: Array.from({ length: BATCH_ITEMS }, (_, place) => item(place)) };
}

/** Makes calls over the gateways `urls`. `mayRefuse` tells whether a 503 to a call that began then may be. */
export function retryingClient(urls: readonly string[], seen: Seen, mayRefuse: (began: number) => boolean) {
    async function attempt(call: KeyedCall, gateway: number): Promise<Response> {
        return fetch(`${urls[gateway % urls.length]}${PATHS[call.kind]}`, {
            method: 'POST',
            headers: {
                authorization: `Bearer ${call.signer.token}`,
                'content-type': 'application/json',
                'idempotency-key': call.key,
            },
            body: JSON.stringify(bodyOf(call)),
            signal: AbortSignal.timeout(GIVE_UP_MS),
        });
    }

    /** Makes a call once. Returns its status, 0 if the connection broke, and the text of the answer. */
    async function once(call: KeyedCall, gateway: number): Promise<{ status: number; text: string }> {
        const began = performance.now();
        try {
            const response = await attempt(call, gateway);
            const text = await response.text();
            const { status } = response;
            seen.answers++;
            if (status === 503) seen.unavailable++;
            const isExpected = response.ok || (status === 503 && mayRefuse(began));
            if (!isExpected) seen.faults.push(`${call.kind}: ${status} ${text.slice(0, 300)}`);
            return { status, text };
        } catch (error) {
            if ((error as Error).name === 'TimeoutError') seen.faults.push(`${call.kind}: no answer`);
            seen.lost++;
            return { status: 0, text: '' };
        }
    }

    return {
        /**
         * Makes a call again and again until it is done. `onAttempt` is told the gateway of each attempt. Records an
         * item of a batch that is answered differently from before.
         */
        async untilDone(call: KeyedCall, first: number, onAttempt?: (gateway: number) => void): Promise<Result> {
            const known: string[] = [];
            for (let gateway = first; ; gateway++) {
                onAttempt?.(gateway % urls.length);
                const { status, text } = await once(call, gateway);
                if (status >= 200 && status < 300) {
                    if (call.kind !== 'batch') return [text];
                    if (addItems(known, text, seen)) return known;
                    seen.partial++;
                } else if (status !== 503 && status !== 0) {
                    return [text]; // a fault, which is recorded
                }
                await delay(RETRY_AFTER_MS);
            }
        },
    };
}

interface ItemResult {
    index: number;
    ok: boolean;
    code?: string;
}

/** Adds the items that were issued to `known`. Returns whether all of them were. */
function addItems(known: string[], text: string, { faults }: Seen): boolean {
    const { results } = JSON.parse(text).data as { results: ItemResult[] }; // the documented answer
    for (const result of results) {
        const shown = JSON.stringify(result);
        if (result.ok) {
            known[result.index] ??= shown;
            if (known[result.index] !== shown) faults.push(`item ${shown} was ${known[result.index]}`);
        } else if (known[result.index] !== undefined || !['unavailable', 'deadline'].includes(result.code ?? '')) {
            faults.push(`item ${shown}`);
        }
    }
    return results.every(({ ok }) => ok);
}
