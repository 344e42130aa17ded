/** Calls that one client may have in progress. */
export const MAX_CALLS_IN_FLIGHT = 8_192;
/** Maximum total size of their messages, in bytes. */
const MAX_BYTES_IN_FLIGHT = 64 << 20;

/** What one client has in progress. */
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

    /** The call now holds its answer instead of its request. */
    exchange(bytes: number, for_bytes: number): void {
        this.#bytes += for_bytes - bytes;
    }

    remove(bytes: number): void {
        this.calls--;
        this.#bytes -= bytes;
    }
}
