import { Places } from '../platform/bounded-queue.ts';
import { createCacheOfBytes } from '../platform/cache.ts';
import { type CallContext, callerOf, detached, requireTime } from '../platform/context.ts';
import { type PublicDocument, publicDocument } from './documents.ts';

/**
 * Memory for the documents that a gateway keeps, in bytes. The largest, a status list, has 0.5 MiB in both codings.
 * Beyond it: the least recently used ones are dropped, and read again when they are requested.
 */
const MAX_BYTES = 64 << 20;
/** What an entry takes besides the bodies of its document, in bytes, rounded up. */
const ENTRY_BYTES = 1_024;
/** Maximum number of documents that are read at a time. Beyond it: the next one waits; addresses take turns. */
const READS_IN_FLIGHT = 16;
/**
 * Maximum number of documents that wait to be read. Beyond it: the address with the most waiting documents gets
 * `unavailable`.
 */
const MAX_WAITING = 512;
/** Time limit for reading a document, with the wait for its turn, in milliseconds. Beyond it: `unavailable`. */
const TIMEOUT_MS = 5_000;

/** What a service says about a document. */
interface Reading {
    text: string;
    /** Changes when the text changes. Absent if the service does not say. */
    version?: string;
}

interface Kept {
    document: PublicDocument;
    version: string | undefined;
    /** When the service was asked, on the monotonic clock of this process, in milliseconds. */
    askedAt: number;
}

/** Where a document comes from, and when the kept one may be sent: one of its conditions is enough. */
export interface DocumentSource {
    /** Unique among all documents. */
    name: string;
    /** The kept document is current if the service was asked at this time or later. */
    since: number;
    /** The kept document is current if it has this version. */
    version?: string;
    /** Asks the service. All that want the document share the answer. */
    read(context: CallContext): Promise<Reading>;
}

/** Returns the current document of a source. */
export type KeptDocuments = (source: DocumentSource, context: CallContext) => Promise<PublicDocument>;

/**
 * Keeps the public documents in the form in which they are sent, so that what an anonymous reader costs does not depend
 * on the size of the document. A document is read once, however many want it, and is compressed again only if its text
 * has changed. If many documents are to be read, the addresses of their readers take turns.
 */
export function keptDocuments({ maxBytes = MAX_BYTES }: { maxBytes?: number } = {}): KeptDocuments {
    const kept = createCacheOfBytes<string, Kept>(maxBytes, ({ document }) => document.bytes + ENTRY_BYTES);
    const reading = new Map<string, Promise<Kept>>();
    const places = new Places({ places: READS_IN_FLIGHT, name: 'documents', maxWaiting: MAX_WAITING });

    async function read({ name, read: ask }: DocumentSource, context: CallContext): Promise<Kept> {
        const askedAt = performance.now();
        const { text, version } = await ask(context);
        const before = kept.get(name)?.document;
        const document = before?.hasText(text) ? before : await publicDocument(text);
        const entry = { document, version, askedAt };
        kept.set(name, entry);
        return entry;
    }

    function readOnce(source: DocumentSource, context: CallContext): Promise<Kept> {
        const { name } = source;
        const shared = reading.get(name);
        if (shared) return shared;
        const own = detached(context, TIMEOUT_MS); // it goes on for the others if its first reader leaves
        const entry = places.run(() => read(source, own), own, callerOf(context)).finally(() => reading.delete(name));
        reading.set(name, entry);
        return entry;
    }

    return async (source, context) => {
        let entry = kept.get(source.name);
        // A reading that others began too early is not current. The next one is.
        while (!entry || !isCurrent(entry, source)) {
            requireTime(context);
            entry = await readOnce(source, context);
        }
        return entry.document;
    };
}

function isCurrent({ askedAt, version }: Kept, source: DocumentSource): boolean {
    return askedAt >= source.since || (version !== undefined && version === source.version);
}
