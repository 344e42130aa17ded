import { onOpenedStream } from './bounds/opened-streams.ts';

/** The characters that grpc-js accepts in metadata. */
const READABLE = /^[ -~]*$/;

/**
 * Empties each `idempotency-key` that grpc-js cannot read, so that the called method refuses it. grpc-js would drop it,
 * so that the call ran as if it had no key, and would print it. Returns a function that stops this.
 */
export function replaceUnreadableKeys(): () => void {
    return onOpenedStream(({ headers }) => {
        const key = headers['idempotency-key'];
        if (key !== undefined && !READABLE.test(String(key))) headers['idempotency-key'] = '';
    });
}
