import type { ClientRequest, IncomingMessage } from 'node:http';
import { type Agent, request } from 'node:https';

/** Length of an answer's body that is read, in bytes. Beyond it: the connection is closed; the answer counts. */
const MAX_ANSWER_BYTES = 4_096;
/** Time limit for the body of an answer, in milliseconds. Beyond it: the connection is closed; the answer counts. */
const BODY_MS = 1_000;
/** Length of the header of an answer, in bytes. Beyond it: the delivery fails. */
const MAX_HEADER_BYTES = 8_192;

/** How far a delivery came. */
type Stage = 'connect' | 'handshake' | 'answer';

/** No answer came. */
export class ExchangeFailed extends Error {
    readonly stage: Stage;
    /** True if the connection was one that an earlier delivery had used. The receiver may have closed it meanwhile. */
    readonly wasKept: boolean;

    constructor(stage: Stage, wasKept: boolean, cause: Error) {
        super(`The delivery failed at the stage ${stage}.`, { cause });
        this.stage = stage;
        this.wasKept = wasKept;
    }
}

export interface Message {
    url: URL;
    headers: Record<string, string>;
    body: Buffer;
}

/**
 * Sends a POST and returns the status and the header of the answer, when its body has ended, is too long or too slow, or
 * `signal` ends the wait for it. The answer counts from its header on. Rejects with ExchangeFailed.
 */
export function exchange(
    { url, headers, body }: Message,
    { agent, signal }: { agent: Agent; signal: AbortSignal },
): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
        const options = { method: 'POST', agent, headers, maxHeaderSize: MAX_HEADER_BYTES, signal };
        const sent = request(url, options);
        const stage = stageOf(sent);
        let isAnswered = false;
        sent.on('response', (answer) => {
            isAnswered = true;
            readToEnd(answer, () => resolve(answer));
        });
        const fail = (error: Error) => reject(new ExchangeFailed(stage(), sent.reusedSocket, error));
        sent.on('error', (error) => {
            if (!isAnswered) fail(error);
        });
        // An answer that would change the protocol ends the connection without an error.
        sent.on('close', () => {
            if (!isAnswered) fail(new Error('the connection was closed'));
        });
        sent.end(body);
    });
}

function stageOf(sent: ClientRequest): () => Stage {
    let stage: Stage = 'connect';
    sent.once('socket', (socket) => {
        if (sent.reusedSocket) {
            stage = 'answer';
            return;
        }
        socket.once('connect', () => (stage = 'handshake'));
        socket.once('secureConnect', () => (stage = 'answer'));
    });
    return () => stage;
}

/** A body that ends leaves its connection to the next delivery. */
function readToEnd(answer: IncomingMessage, ended: () => void): void {
    let bytes = 0;
    const slow = setTimeout(() => answer.destroy(), BODY_MS);
    answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > MAX_ANSWER_BYTES) answer.destroy();
    });
    answer.on('error', () => {}); // the status is known; `close` follows
    answer.on('close', () => {
        clearTimeout(slow);
        ended();
    });
}
