import { createHash } from 'node:crypto';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { InterfacePart } from './endpoints/index.ts';
import { openApi } from './openapi/document.ts';
import { referencePage } from './openapi/page.ts';
import { STYLE } from './openapi/style.ts';

/** A static document for people or tools. It is the same for every client and has no envelope. */
export interface StaticPage {
    /** Its name in metrics and logs. */
    id: string;
    method: 'GET';
    path: string;
    contentType: string;
    /** Its Content-Security-Policy. */
    policy: string;
    /** The page in each content coding. It is compressed once in advance, because any client may request it. */
    bodies: Readonly<Record<ContentCoding, Buffer>>;
    /** The entity tag. It changes when the text changes. */
    etag: string;
}

export type ContentCoding = 'br' | 'gzip' | 'identity';

const NOTHING = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Builds the OpenAPI document and the reference page that shows it. */
export function pages(parts: readonly InterfacePart[], version: string): StaticPage[] {
    const document = openApi(parts, version);
    const styleHash = createHash('sha256').update(STYLE).digest('base64');
    return [
        {
            id: 'openapi',
            method: 'GET',
            path: '/openapi.json',
            contentType: 'application/json; charset=utf-8',
            policy: NOTHING,
            ...prepared(JSON.stringify(document)),
        },
        {
            id: 'docs',
            method: 'GET',
            path: '/docs',
            contentType: 'text/html; charset=utf-8',
            // The page has no script and loads nothing.
            policy: `${NOTHING}; style-src 'sha256-${styleHash}'; img-src data:`,
            ...prepared(referencePage(document)),
        },
    ];
}

function prepared(text: string): Pick<StaticPage, 'bodies' | 'etag'> {
    const identity = Buffer.from(text);
    const etag = `"${createHash('sha256').update(identity).digest('base64url').slice(0, 22)}"`;
    return { bodies: { br: brotliCompressSync(identity), gzip: gzipSync(identity), identity }, etag };
}

/** The smallest representation that a client with this `Accept-Encoding` accepts (RFC 9110, section 12.5.3). */
export function codingFor(acceptEncoding: string | undefined): ContentCoding {
    const refused = /;\s*q=0(\.0*)?$/;
    const accepted = (acceptEncoding ?? '')
        .toLowerCase()
        .split(',')
        .map((coding) => coding.trim())
        .filter((coding) => !refused.test(coding))
        .map((coding) => coding.split(';', 1)[0]);
    if (accepted.includes('br')) return 'br';
    return accepted.includes('gzip') ? 'gzip' : 'identity';
}
