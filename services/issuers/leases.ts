import { setTimeout as delay } from 'node:timers/promises';
import { createCache } from '../../platform/cache.ts';

/**
 * How long a process may use what it has read about an issuer without reading it again, in milliseconds. A call that
 * changes an issuer answers only after this time. So what it changed is in force everywhere when its caller has the
 * answer, and most calls need no query.
 */
const LEASE_MS = 1_000;

/** Clocks of two machines run at slightly different speeds, and timers fire up to 1 ms early. */
const MARGIN_MS = 20;

/** Maximum number of issuers that a process remembers for one purpose. */
const MAX_LEASES = 2_048;

interface Lease<Value> {
    value: Value;
    /** On the monotonic clock of this process, in milliseconds. */
    until: number;
}

export interface Leases<Value> {
    /** Returns the value if its lease has not ended. */
    get(key: string): Value | undefined;
    /** Remembers what was read. `readAt`: when the reading began (`performance.now()`), not when it ended. */
    set(key: string, value: Value, readAt: number): void;
}

export function leases<Value>(): Leases<Value> {
    const known = createCache<string, Lease<Value>>(MAX_LEASES);
    return {
        get(key) {
            const lease = known.get(key);
            return lease !== undefined && performance.now() < lease.until ? lease.value : undefined;
        },
        set: (key, value, readAt) => void known.set(key, { value, until: readAt + LEASE_MS }),
    };
}

/** Resolves when no process uses any more what it has read before this call. */
export function leasesEnd(): Promise<void> {
    return delay(LEASE_MS + MARGIN_MS);
}
