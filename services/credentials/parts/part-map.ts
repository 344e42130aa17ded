import { hash } from 'node:crypto';
import { newId } from '../../../platform/ids.ts';

/**
 * Credentials may be divided over several databases, the parts. A new credential lies in the part of its issuer, so that
 * the batches and lists of an issuer are in one database. The last byte of its id is the number of that part. So an id
 * alone tells where its credential is, also after the number of parts has grown.
 */
export interface PartMap {
    /** The number of parts: a power of two, at most 256. */
    count: number;
    /** The numbers of parts that there have been, and the present one. An issuer may have credentials in a part of each. */
    counts: readonly number[];
    /** Ids from before this time (milliseconds since 1970) do not have the number of a part. They are in part 0. */
    since: number;
}

/** The map of credentials that are not divided. */
export const ONE_PART: PartMap = { count: 1, counts: [1], since: 0 };

/** Returns the part in which new credentials of an issuer lie, among `count` parts. */
export function partOfIssuer(issuer: string, count: number): number {
    if (count === 1) return 0;
    const [bucket = 0] = hash('sha256', issuer, 'buffer');
    return bucket & (count - 1);
}

/** Returns all parts in which credentials of an issuer may lie. */
export function partsOfIssuer(issuer: string, { counts }: PartMap): number[] {
    return [...new Set(counts.map((count) => partOfIssuer(issuer, count)))];
}

/** The last byte of an id, in hexadecimal. */
const LAST_BYTE = /..$/;
/** The time of a UUIDv7 in milliseconds, in hexadecimal, with the hyphen in it. */
const TIME = /^(.{8})-(.{4})/;

/** Creates an id (UUIDv7) of a part, of this time in milliseconds since 1970. */
export function newIdIn(part: number, nowMs: number): string {
    return newId(nowMs).replace(LAST_BYTE, part.toString(16).padStart(2, '0'));
}

/** Returns the part that a UUID names, which may be greater than the number of parts. */
export function partOfId(id: string, { count, since }: PartMap): number {
    if (count === 1 || madeAt(id) < since) return 0;
    return Number.parseInt(LAST_BYTE.exec(id)?.[0] ?? '', 16);
}

function madeAt(id: string): number {
    const [, high, low] = TIME.exec(id) ?? [];
    return Number.parseInt(`${high}${low}`, 16);
}
