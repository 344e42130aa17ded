import { createCache } from '../../cache.ts';
import type { Rate } from './connection-bounds.ts';

/**
 * Maximum number of addresses whose rates are kept. Beyond it: the least recently used half may be dropped, and starts
 * again with a full burst.
 */
const MAX_ADDRESSES = 10_000;

/** What is left of a rate, and when that was computed (`performance.now()`). */
interface Remainder {
    left: number;
    at: number;
}

export interface RateBound {
    /**
     * Takes one unit for this address. If the address, or all addresses together, have none left, returns false and
     * takes nothing.
     */
    take(address: string): boolean;
    /** Gives one unit back. */
    giveBack(address: string): void;
}

/** Bounds how often something happens, for each address and in total. */
export function rateBound(rates: { address: Rate; total: Rate }): RateBound {
    const addresses = createCache<string, Remainder>(MAX_ADDRESSES);
    const total: Remainder = { left: rates.total.burst, at: performance.now() };

    function remainderOf(address: string): Remainder {
        let remainder = addresses.get(address);
        if (!remainder) {
            remainder = { left: rates.address.burst, at: performance.now() };
            addresses.set(address, remainder);
        }
        return remainder;
    }

    return {
        take(address) {
            const now = performance.now();
            const own = remainderOf(address);
            refill(own, rates.address, now);
            refill(total, rates.total, now);
            if (own.left < 1 || total.left < 1) return false;
            own.left--;
            total.left--;
            return true;
        },
        giveBack(address) {
            const own = remainderOf(address);
            own.left = Math.min(rates.address.burst, own.left + 1);
            total.left = Math.min(rates.total.burst, total.left + 1);
        },
    };
}

function refill(remainder: Remainder, { burst, perSecond }: Rate, now: number): void {
    remainder.left = Math.min(burst, remainder.left + ((now - remainder.at) * perSecond) / 1_000);
    remainder.at = now;
}
