import { createHash } from 'node:crypto';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Endpoint } from './endpoint.ts';
import { openApi } from './openapi/document.ts';
import { referencePage } from './openapi/page.ts';
import { STYLE } from './openapi/style.ts';

/**
 * A document that is served beside the interface: for people and tools, the same for everybody, without the envelope.
 */
export interface StaticPage {
    /** Its name in metrics and logs. */
    id: string;
    method: 'GET';
    path: string;
    content_type: string;
    /** Its Content-Security-Policy. */
    policy: string;
    /** The page by content coding. It is encoded and compressed once, because anybody may request it. */
    bodies: Readonly<Record<ContentCoding, Buffer>>;
    /** Changes with the text. */
    etag: string;
}

export type ContentCoding = 'br' | 'gzip' | 'identity';

const NOTHING = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The OpenAPI document and the page that shows it, both built once. */
export function pages(endpoints: readonly Endpoint[], version: string): StaticPage[] {
    const document = openApi(endpoints, version);
    const style_hash = createHash('sha256').update(STYLE).digest('base64');
    return [
        {
            id: 'openapi',
            method: 'GET',
            path: '/openapi.json',
            content_type: 'application/json; charset=utf-8',
            policy: NOTHING,
            ...prepared(JSON.stringify(document)),
        },
        {
            id: 'docs',
            method: 'GET',
            path: '/docs',
            content_type: 'text/html; charset=utf-8',
            // The page has no script and loads nothing.
            policy: `${NOTHING}; style-src 'sha256-${style_hash}'; img-src data:`,
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
export function codingFor(accept_encoding: string | undefined): ContentCoding {
    const refused = /;\s*q=0(\.0*)?$/;
    const accepted = (accept_encoding ?? '')
        .toLowerCase()
        .split(',')
        .map((coding) => coding.trim())
        .filter((coding) => !refused.test(coding))
        .map((coding) => coding.split(';', 1)[0]);
    if (accepted.includes('br')) return 'br';
    return accepted.includes('gzip') ? 'gzip' : 'identity';
}
