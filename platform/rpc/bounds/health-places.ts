import { tooManyCalls } from '../callers.ts';
import type { Client } from '../connections.ts';

/**
 * Maximum number of open health calls of one method without a token: on one connection, from one address, and in total.
 * All connections with a token together have as many places as the total. Beyond it: `rate_limited`.
 */
const MAX_OPEN = { connection: 4, address: 16, total: 64 } as const;

export interface HealthPlaces {
    /**
     * Counts an open call. Throws if there are too many. The returned function subtracts the call again; only the first
     * call of that function has an effect.
     */
    enter(path: string, client: Client): () => void;
}

/**
 * Bounds the health calls without a token. Each method has its own places, so that open calls of Watch cannot take
 * those of Check. Calls over known connections have separate places from calls over unknown connections.
 */
export function healthPlaces(isKnown: (client: Client) => boolean): HealthPlaces {
    const open = new Map<string, number>();

    const placesOf = (path: string, client: Client): Array<[place: string, max: number]> => {
        if (isKnown(client)) return [[`${path} known`, MAX_OPEN.total]];
        const from = `${path} ${client.remoteAddress}`;
        return [
            [`${from} ${client.remotePort}`, MAX_OPEN.connection],
            [from, MAX_OPEN.address],
            [path, MAX_OPEN.total],
        ];
    };

    function leave(places: Array<[place: string, max: number]>): void {
        for (const [place] of places) {
            const left = (open.get(place) ?? 0) - 1;
            if (left > 0) open.set(place, left);
            else open.delete(place);
        }
    }

    return {
        enter(path, client) {
            const places = placesOf(path, client);
            for (const [place, max] of places) if ((open.get(place) ?? 0) >= max) throw tooManyCalls(max);
            for (const [place] of places) open.set(place, (open.get(place) ?? 0) + 1);
            let isOpen = true;
            return () => {
                if (isOpen) leave(places);
                isOpen = false;
            };
        },
    };
}
