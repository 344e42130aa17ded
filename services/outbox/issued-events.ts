import { credentialId } from '../../tokens/credential-id.ts';
import type { Cause } from './cause.ts';

/**
 * The event of an issued credential. It is the most frequent event, so it must cost little: the service writes the events
 * of a statement as one text, which PostgreSQL does not parse and which names each account, caller and issuer only once.
 */
export interface IssuedEvent {
    /** Of the row of the credential. */
    id: string;
    account: string;
    cause: Cause;
    issuer_did: string;
}

/** What several credentials may have in common. */
type Source = [account: string, actor: string, issuer_did: string];

/** `source`: its index in `sources`. */
interface Packed {
    sources: readonly Source[];
    events: ReadonlyArray<[id: string, source: number, request_id?: string | null]>;
}

/** Returns JSON text that unpackedEvents reads. */
export function packedEvents(events: readonly IssuedEvent[]): string {
    const sources: Source[] = [];
    const indexes = new Map<string, number>();
    const packed: Packed = {
        sources,
        events: events.map(({ id, account, cause: [actor, requestId], issuer_did }) => {
            const name = `${account} ${actor} ${issuer_did}`;
            const index = indexes.get(name) ?? sources.push([account, actor, issuer_did]) - 1;
            indexes.set(name, index);
            return [id, index, requestId];
        }),
    };
    return JSON.stringify(packed);
}

/** Returns those of the events whose row is one of `written`, or all. */
export function unpackedEvents(text: string, written: readonly string[] | 'all') {
    const { sources, events }: Packed = JSON.parse(text);
    const ids = written === 'all' ? undefined : new Set(written);
    return events
        .filter(([id]) => ids?.has(id) ?? true)
        .map(([id, index, requestId]) => {
            const [account, actor, issuerDid] = sources[index] as Source; // packedEvents has put it there
            return {
                account,
                data: { credential_id: credentialId(id), issuer_did: issuerDid },
                actor,
                request_id: requestId ?? undefined,
            };
        });
}
