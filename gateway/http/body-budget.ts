import type { Metrics } from '../../platform/telemetry/metrics.ts';
import { type ListItem, UnorderedList } from '../../platform/unordered-list.ts';

/**
 * Maximum number of bytes of bodies that are not parsed yet: per client address, and in total. Beyond it: bodies that
 * take longer than SLOW_MS make room, or `unavailable`.
 */
const MAX_UNPARSED_BYTES = { address: 32 << 20, total: 64 << 20 } as const;
/**
 * How long a body may take before it may have to give its bytes to newer ones, in milliseconds. Beyond it:
 * `unavailable`, if there is no room for a newer one.
 */
const SLOW_MS = 1_000;

/** A body that is being received. */
export interface ReceivedBody extends ListItem {
    /** The client's address. */
    address: string;
    /** The bytes that it holds; 0 at first. Only the budget changes this. */
    bytes: number;
    /** `performance.now()` when its first bytes arrived. Only the budget changes this. */
    began: number;
    /** Refuses the body, and returns its bytes to the budget. */
    refuse(): void;
}

/** Counts the bytes that bodies hold while they are received. */
export interface BodyBudget {
    /**
     * Reserves this many more bytes for the body. If they exceed a limit, slow bodies are refused, the oldest first: a
     * client cannot keep the budget by sending its bodies slowly. Returns false, and reserves nothing, if the bytes
     * exceed the limit nevertheless.
     */
    take(body: ReceivedBody, bytes: number): boolean;
    /** Returns all bytes of the body. */
    give(body: ReceivedBody): void;
}

export function bodyBudget(metrics: Metrics): BodyBudget {
    /** The bodies that hold bytes. */
    const holders = new UnorderedList<ReceivedBody>();
    const byAddress = new Map<string, number>();
    let total = 0;
    metrics.gauge('http_body_bytes', 'Bytes of request bodies that have not been parsed yet.', () => total);

    const fits = (address: string, bytes: number): boolean =>
        total + bytes <= MAX_UNPARSED_BYTES.total &&
        (byAddress.get(address) ?? 0) + bytes <= MAX_UNPARSED_BYTES.address;

    /** Refuses slow bodies until there is room for these bytes. */
    function makeRoom(address: string, bytes: number): void {
        const slowBefore = performance.now() - SLOW_MS;
        const slow = Array.from(holders)
            .filter(({ began }) => began < slowBefore)
            .sort((one, other) => one.began - other.began);
        for (const body of slow) {
            if (fits(address, bytes)) return;
            const isTotalFull = total + bytes > MAX_UNPARSED_BYTES.total;
            if (isTotalFull || body.address === address) body.refuse();
        }
    }

    function add(address: string, bytes: number): void {
        const sum = (byAddress.get(address) ?? 0) + bytes;
        if (sum > 0) byAddress.set(address, sum);
        else byAddress.delete(address);
        total += bytes;
    }

    return {
        take(body, bytes) {
            if (!fits(body.address, bytes)) makeRoom(body.address, bytes);
            if (!fits(body.address, bytes)) return false;
            if (body.bytes === 0) {
                body.began = performance.now();
                holders.add(body);
            }
            body.bytes += bytes;
            add(body.address, bytes);
            return true;
        },
        give(body) {
            if (body.bytes === 0) return;
            holders.remove(body);
            add(body.address, -body.bytes);
            body.bytes = 0;
        },
    };
}
