import type { Metrics } from '../../platform/telemetry/metrics.ts';

/** Bytes of bodies that are not parsed yet: from one client address, and in total. */
const MAX_UNPARSED_BYTES = { address: 32 << 20, total: 64 << 20 } as const;

/** Counts the bytes that bodies hold while they are received. */
export interface BodyBudget {
    /** Reserves this many more bytes; false if they do not fit. */
    take(address: string, bytes: number): boolean;
    give(address: string, bytes: number): void;
}

export function bodyBudget(metrics: Metrics): BodyBudget {
    const by_address = new Map<string, number>();
    let total = 0;
    metrics.gauge('http_body_bytes', 'Bytes of request bodies that have not been parsed yet.', () => total);
    return {
        take(address, bytes) {
            const held = (by_address.get(address) ?? 0) + bytes;
            if (held > MAX_UNPARSED_BYTES.address || total + bytes > MAX_UNPARSED_BYTES.total) return false;
            by_address.set(address, held);
            total += bytes;
            return true;
        },
        give(address, bytes) {
            const held = (by_address.get(address) ?? 0) - bytes;
            if (held > 0) by_address.set(address, held);
            else by_address.delete(address);
            total -= bytes;
        },
    };
}
