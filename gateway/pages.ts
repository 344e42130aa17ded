import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { guidePages } from './docs/guides.ts';
import { ALLOWED } from './docs/layout.ts';
import { referencePage } from './docs/reference.ts';
import { PublicDocument } from './documents.ts';
import type { InterfacePart } from './endpoints/index.ts';
import { openApi } from './openapi/document.ts';

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

/** Builds the OpenAPI document, the reference page that shows it, and the guides. */
export function pages(parts: readonly InterfacePart[], version: string): StaticPage[] {
    const document = openApi(parts, version);
    const forPeople = [{ path: '/docs', html: referencePage(document) }, ...guidePages()];
    return [
        {
            id: 'openapi',
            method: 'GET',
            path: '/openapi.json',
            contentType: 'application/json; charset=utf-8',
            policy: NOTHING,
            document: prepared(JSON.stringify(document)),
        },
        ...forPeople.map(({ path, html }) => ({
            id: 'docs',
            method: 'GET' as const,
            path,
            contentType: 'text/html; charset=utf-8',
            policy: `${NOTHING}; ${ALLOWED}`,
            document: prepared(html),
        })),
    ];
}

function prepared(text: string): PublicDocument {
    const identity = Buffer.from(text);
    // The default, 11, takes a second for these texts. With 9 they are a tenth larger.
    const br = brotliCompressSync(identity, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } });
    return new PublicDocument({ br, gzip: gzipSync(identity), identity });
}
