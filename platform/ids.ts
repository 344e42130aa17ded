import { randomUUIDv7 } from 'node:crypto';

/** Creates a UUIDv7 (RFC 9562, section 5.7) of that time. Node's function knows only the present. */
export function newId(nowMs: number = Date.now()): string {
    const time = nowMs.toString(16).padStart(12, '0');
    return `${time.slice(0, 8)}-${time.slice(8)}${randomUUIDv7().slice(13)}`;
}

/** Request ids that are accepted from callers. Any other is replaced, because the id is logged. */
export const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** The nil UUID (RFC 9562, section 5.9): the account of records that belong to no account. */
export const NIL_ID = '00000000-0000-0000-0000-000000000000';
