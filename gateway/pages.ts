import { createHash } from 'node:crypto';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { PublicDocument } from './documents.ts';
import type { InterfacePart } from './endpoints/index.ts';
import { openApi } from './openapi/document.ts';
import { referencePage } from './openapi/page.ts';
import { STYLE } from './openapi/style.ts';

/** A static document for people or tools. */
export interface StaticPage {
    /** Its name in metrics and logs. */
    id: string;
    method: 'GET';
    path: string;
    contentType: string;
    /** Its Content-Security-Policy. */
    policy: string;
    /** It is compressed once in advance, because any client may request it. */
    document: PublicDocument;
}

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
            document: prepared(JSON.stringify(document)),
        },
        {
            id: 'docs',
            method: 'GET',
            path: '/docs',
            contentType: 'text/html; charset=utf-8',
            // The page has no script and loads nothing.
            policy: `${NOTHING}; style-src 'sha256-${styleHash}'; img-src data:`,
            document: prepared(referencePage(document)),
        },
    ];
}

function prepared(text: string): PublicDocument {
    const identity = Buffer.from(text);
    return new PublicDocument({ br: brotliCompressSync(identity), gzip: gzipSync(identity), identity });
}
