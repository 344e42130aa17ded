import { setTimeout as delay } from 'node:timers/promises';
import { createCache } from '../../platform/cache.ts';
import { AppError } from '../../platform/errors.ts';
import { ISSUER_LEASE_MS } from '../../proto/limits.ts';

/**
 * What a change of an issuer waits beyond the lease, in milliseconds. Clocks of two machines run at slightly different
 * speeds, and timers fire up to 1 ms early.
 */
const MARGIN_MS = 20;

/**
 * Maximum number of issuers that a process remembers for one purpose. Beyond it: the least recently used half is
 * dropped and read again.
 */
const MAX_LEASES = 2_048;

/** Number of readings of one call. A reading that takes longer than a lease is repeated. Beyond it: `unavailable`. */
const READINGS = 3;

interface Lease<Value> {
    value: Value;
    /** On the monotonic clock of this process, in milliseconds. */
    until: number;
}

interface Leases<Value> {
    /**
     * Returns what is remembered of an issuer, or what `read` returns, and remembers it. A value that was read for longer
     * than a lease lasts may have been changed since, so it is read again. Throws AppError `unavailable` if every
     * reading takes that long.
     */
    find(key: string, read: () => Promise<Value | undefined>): Promise<Value | undefined>;
}

/** `forget` is called with each value when its lease has ended, even if another value has taken its place. */
export function leases<Value>(forget: (value: Value) => void = () => {}): Leases<Value> {
    const known = createCache<string, Lease<Value>>(MAX_LEASES);

    function remember(key: string, lease: Lease<Value>): void {
        known.set(key, lease);
        const end = () => {
            if (known.get(key) === lease) known.delete(key);
            forget(lease.value);
        };
        setTimeout(end, ISSUER_LEASE_MS).unref();
    }

    return {
        async find(key, read) {
            const leased = known.get(key);
            if (leased !== undefined && performance.now() < leased.until) return leased.value;
            for (let reading = 0; reading < READINGS; reading++) {
                const until = performance.now() + ISSUER_LEASE_MS; // from before the reading
                const value = await read();
                if (value === undefined) return undefined;
                remember(key, { value, until });
                if (performance.now() < until) return value;
            }
            throw new AppError('unavailable', 'The issuer could not be read in time. Try again shortly.', {
                retry_after: 1,
                reason: 'issuers',
            });
        },
    };
}

/** Resolves when no process uses any more what it has read before this call. */
export function leasesEnd(): Promise<void> {
    return delay(ISSUER_LEASE_MS + MARGIN_MS);
}
