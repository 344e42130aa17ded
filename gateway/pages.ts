import { createHash } from 'node:crypto';
import type { Endpoint } from './endpoint.ts';
import { openApi } from './openapi/document.ts';
import { referencePage } from './openapi/page.ts';
import { STYLE } from './openapi/style.ts';

/** What is served beside the interface: read by people and tools, the same for everybody, outside the envelope. */
export interface Page {
    /** Names it in metrics and logs. */
    id: string;
    method: 'GET';
    path: string;
    content_type: string;
    /** Its Content-Security-Policy. */
    policy: string;
    text: string;
}

const NOTHING = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The OpenAPI document and the page that shows it, made once. */
export function pages(endpoints: readonly Endpoint[], version: string): Page[] {
    const document = openApi(endpoints, version);
    const style_hash = createHash('sha256').update(STYLE).digest('base64');
    return [
        {
            id: 'openapi',
            method: 'GET',
            path: '/openapi.json',
            content_type: 'application/json; charset=utf-8',
            policy: NOTHING,
            text: JSON.stringify(document),
        },
        {
            id: 'docs',
            method: 'GET',
            path: '/docs',
            content_type: 'text/html; charset=utf-8',
            // The page has no script, and loads nothing.
            policy: `${NOTHING}; style-src 'sha256-${style_hash}'; img-src data:`,
            text: referencePage(document),
        },
    ];
}
