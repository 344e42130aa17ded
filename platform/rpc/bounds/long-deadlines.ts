import type { IncomingHttpHeaders } from 'node:http2';
import { LONGEST_MS } from '../unary.ts';
import { onOpenedStream } from './opened-streams.ts';

const FIELD = 'grpc-timeout';
/** The first of several values, which is the one that counts. The other units, u and n, stay below LONGEST_MS. */
const LONG_UNITS = /^(\d{1,8})\s*([HMSm])/;
const msOfUnit: Record<string, number> = { H: 3_600_000, M: 60_000, S: 1_000, m: 1 };

/**
 * Shortens deadlines to the longest that a call may have. grpc-js computes with 32 bits, so that a deadline of more than
 * 24.8 days would be in the past. Returns a function that ends this.
 */
export function shortenDeadlines(): () => void {
    return onOpenedStream(({ headers }) => shorten(headers));
}

function shorten(headers: IncomingHttpHeaders): void {
    const [, count = '', unit = ''] = LONG_UNITS.exec(String(headers[FIELD] ?? '')) ?? [];
    if (Number(count) * (msOfUnit[unit] ?? 0) > LONGEST_MS) headers[FIELD] = `${LONGEST_MS}m`;
}
