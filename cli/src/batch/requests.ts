import { CliError } from '../errors.ts';
import type { Fields, Item } from './items.ts';

/** Largest number of items of a request. The service takes no more. */
export const MAX_ITEMS = 1_000;
/** Largest size of the items of a request as JSON, in bytes. The service takes 1 MiB. */
const MAX_BYTES = 700 << 10;
/** The service takes 20,000 names and 40,000 commas in a request. */
const MAX_NAMES = 19_000;
const MAX_VALUES = 39_000;

/** The items of one request. */
export interface Request {
    /** The number of items before it. */
    start: number;
    items: Item[];
}

/**
 * Divides items into requests. `maxItems` returns the largest number of items of the request that begins after `start`
 * items. The division depends only on that and on the items, so that a second run sends the same requests.
 */
export async function* requestsOf(
    items: AsyncIterable<Item>,
    maxItems: (start: number) => number,
): AsyncGenerator<Request> {
    let request: Request = { start: 0, items: [] };
    let size = { bytes: 0, names: 0, values: 0 };
    for await (const item of items) {
        const own = sizeOf(item.fields);
        if (own.names > MAX_NAMES || own.values > MAX_VALUES) {
            throw new CliError(`Line ${item.line} has more names or values than the service takes.`);
        }
        const sum = added(size, own);
        const isFull = request.items.length >= maxItems(request.start) || sum.bytes > MAX_BYTES;
        if (request.items.length > 0 && (isFull || sum.names > MAX_NAMES || sum.values > MAX_VALUES)) {
            yield request;
            request = { start: request.start + request.items.length, items: [] };
            size = own;
        } else size = sum;
        request.items.push(item);
    }
    if (request.items.length > 0) yield request;
}

type Size = ReturnType<typeof sizeOf>;

const added = (a: Size, b: Size): Size => ({
    bytes: a.bytes + b.bytes,
    names: a.names + b.names,
    values: a.values + b.values,
});

/** The size of an item in a request: with the comma behind it, and with all names and values in it. */
function sizeOf(fields: Fields): { bytes: number; names: number; values: number } {
    const size = { bytes: Buffer.byteLength(JSON.stringify(fields)) + 1, names: 0, values: 1 };
    const count = (value: unknown): void => {
        if (typeof value !== 'object' || value === null) return;
        const members = Object.values(value);
        if (!Array.isArray(value)) size.names += members.length;
        size.values += members.length;
        for (const member of members) count(member);
    };
    count(fields);
    return size;
}
