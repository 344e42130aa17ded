import type { Metrics } from '../../platform/telemetry/metrics.ts';

/** Maximum number of bytes of bodies that are not parsed yet: per client address, and in total. */
const MAX_UNPARSED_BYTES = { address: 32 << 20, total: 64 << 20 } as const;

/** Counts the bytes that bodies hold while they are received. */
export interface BodyBudget {
    /** Reserves this many more bytes. Returns false, and reserves nothing, if they exceed a limit. */
    take(address: string, bytes: number): boolean;
    /** Returns reserved bytes. */
    give(address: string, bytes: number): void;
}

export function bodyBudget(metrics: Metrics): BodyBudget {
    const byAddress = new Map<string, number>();
    let total = 0;
    metrics.gauge('http_body_bytes', 'Bytes of request bodies that have not been parsed yet.', () => total);
    return {
        take(address, bytes) {
            const held = (byAddress.get(address) ?? 0) + bytes;
            if (held > MAX_UNPARSED_BYTES.address || total + bytes > MAX_UNPARSED_BYTES.total) return false;
            byAddress.set(address, held);
            total += bytes;
            return true;
        },
        give(address, bytes) {
            const held = (byAddress.get(address) ?? 0) - bytes;
            if (held > 0) byAddress.set(address, held);
            else byAddress.delete(address);
            total -= bytes;
        },
    };
}
