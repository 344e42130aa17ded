import type { Transport } from '../stack.ts';
import type { GrowthOptions, Part } from './options.ts';

/** A state of the service in which jobs are measured. */
export interface Place {
    /** Number of stored credentials. */
    rows: number;
    accounts: number;
    gateways: number;
    transport: Transport;
}

/** Returns the places that a part compares. They differ in one number only. */
export function placesOf(
    part: Part,
    { credentials, accounts, gateways }: Pick<GrowthOptions, 'credentials' | 'accounts' | 'gateways'>,
): Place[] {
    const middle = credentials[credentials.length >> 1] ?? 1_000;
    const first: Place = { rows: middle, accounts: accounts[0] ?? 1, gateways: 1, transport: 'local' };
    const places: Record<Part, Place[]> = {
        credentials: credentials.map((rows) => ({ ...first, rows })),
        accounts: accounts.map((count) => ({ ...first, accounts: count })),
        gateways: gateways.map((count) => ({
            ...first,
            accounts: accounts.at(-1) ?? 1,
            gateways: count,
            transport: 'grpc',
        })),
        list: [{ ...first, rows: 1_000 }],
    };
    return places[part];
}
