import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

type ContentCoding = 'gzip' | 'identity';

/** A document in the content codings in which it is kept. */
type Bodies = Readonly<Partial<Record<ContentCoding, Buffer>> & { identity: Buffer }>;

/** How the documents of an endpoint are sent. */
export interface DocumentType {
    /** The media type, as `Content-Type` names it. */
    contentType: string;
    /** How long clients and proxies may keep a document, in seconds. */
    maxAgeSeconds: number;
}

/** A document that anybody may read. It is the same for every client and has no envelope. */
export class PublicDocument {
    readonly bodies: Bodies;
    /** The entity tag of the body without a content coding. It changes when the text changes. */
    readonly etag: string;

    constructor(bodies: Bodies) {
        this.bodies = bodies;
        this.etag = entityTag(bodies.identity);
    }

    /** The length of all bodies together. */
    get bytes(): number {
        return Object.values(this.bodies).reduce((sum, { length }) => sum + length, 0);
    }

    hasText(text: string): boolean {
        return this.bodies.identity.equals(Buffer.from(text));
    }
}

const compress = promisify(gzip);

/** Returns the document with this text. It is compressed once, off the event loop, and may be sent any number of times. */
export async function publicDocument(text: string): Promise<PublicDocument> {
    const identity = Buffer.from(text);
    // The copy lets go of the rest of the buffer into which zlib writes, which is larger than many documents.
    return new PublicDocument({ identity, gzip: Buffer.from(await compress(identity)) });
}

/** The smallest of these bodies that a client with this `Accept-Encoding` accepts (RFC 9110, section 12.5.3). */
export function codingFor(acceptEncoding: string | undefined, bodies: Bodies): ContentCoding {
    const refused = /;\s*q=0(\.0*)?$/;
    const accepted = (acceptEncoding ?? '')
        .toLowerCase()
        .split(',')
        .map((coding) => coding.trim())
        .filter((coding) => !refused.test(coding))
        .map((coding) => coding.split(';', 1)[0]);
    return bodies.gzip && accepted.includes('gzip') ? 'gzip' : 'identity';
}

/** The entity tag of a body. It changes when the body does. */
export function entityTag(body: string | Buffer): string {
    return `"${hash('sha256', body, 'base64url').slice(0, 22)}"`;
}

/** True if the client says with `If-None-Match` that it has the body with this tag (RFC 9110, section 13.1.2). */
export function matchesTag({ headers }: IncomingMessage, etag: string): boolean {
    const isSame = (tag: string) => tag === '*' || tag.replace(/^W\//, '') === etag;
    return headers['if-none-match']?.split(',').some((tag) => isSame(tag.trim())) ?? false;
}
