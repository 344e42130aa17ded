/**
 * Maximum number of calls that one client may have in progress. Beyond it: `unavailable`, or `rate_limited` if they are
 * gRPC calls of their own instead of calls in one stream.
 */
export const MAX_CALLS_IN_FLIGHT = 8_192;
/** Maximum total size of the messages of these calls, in bytes. Beyond it: `unavailable`. */
const MAX_BYTES_IN_FLIGHT = 64 << 20;

/** The calls of one client that are in progress, with the bytes of their messages. */
export class InFlight {
    calls = 0;
    #bytes = 0;

    /** True if one more call, with a message of this size, is within the bounds. */
    admits(bytes: number): boolean {
        return this.calls < MAX_CALLS_IN_FLIGHT && this.#bytes + bytes <= MAX_BYTES_IN_FLIGHT;
    }

    add(bytes: number): void {
        this.calls++;
        this.#bytes += bytes;
    }

    /** Records that a call now holds its answer (`forBytes`) instead of its request (`bytes`). */
    exchange(bytes: number, forBytes: number): void {
        this.#bytes += forBytes - bytes;
    }

    remove(bytes: number): void {
        this.calls--;
        this.#bytes -= bytes;
    }
}
