import { guidePages } from './docs/guides.ts';
import { ALLOWED } from './docs/layout.ts';
import { referencePage } from './docs/reference.ts';
import { type PublicDocument, publicDocument } from './documents.ts';
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
    /** Builds it for the first reader, and keeps it. A start does not wait for pages that nobody may read. */
    document(): Promise<PublicDocument>;
}

const NOTHING = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The OpenAPI document, the reference page that shows it, and the guides. */
export function pages(parts: readonly InterfacePart[], version: string): StaticPage[] {
    const document = () => openApi(parts, version);
    const forTools = {
        id: 'openapi',
        path: '/openapi.json',
        contentType: 'application/json; charset=utf-8',
        policy: NOTHING,
        text: () => JSON.stringify(document()),
    };
    const reference = { path: '/docs', html: () => referencePage(document()) };
    const forPeople = [reference, ...guidePages()].map(({ path, html }) => ({
        id: 'docs',
        path,
        contentType: 'text/html; charset=utf-8',
        policy: `${NOTHING}; ${ALLOWED}`,
        text: html,
    }));
    return [forTools, ...forPeople].map(({ text, ...page }) => {
        let document: Promise<PublicDocument> | undefined;
        return { ...page, method: 'GET', document: () => (document ??= publicDocument(text())) };
    });
}
