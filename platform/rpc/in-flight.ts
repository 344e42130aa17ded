/** Calls that one peer may have under way. */
export const MAX_CALLS_IN_FLIGHT = 8_192;
/** What their messages may come to together, in bytes. */
const MAX_BYTES_IN_FLIGHT = 64 << 20;

/** What one peer has under way. */
export class InFlight {
    calls = 0;
    #bytes = 0;

    /** Whether one more call, with a message of so many bytes, is within the bounds. */
    admits(bytes: number): boolean {
        return this.calls < MAX_CALLS_IN_FLIGHT && this.#bytes + bytes <= MAX_BYTES_IN_FLIGHT;
    }

    add(bytes: number): void {
        this.calls++;
        this.#bytes += bytes;
    }

    /** The call holds another message now: its answer in the place of its request. */
    exchange(bytes: number, for_bytes: number): void {
        this.#bytes += for_bytes - bytes;
    }

    remove(bytes: number): void {
        this.calls--;
        this.#bytes -= bytes;
    }
}
