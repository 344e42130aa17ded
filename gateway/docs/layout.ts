import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { escaped } from './markdown.ts';

const STYLE = readFileSync(new URL('page.css', import.meta.url), 'utf8');
const SCRIPT = readFileSync(new URL('page.js', import.meta.url), 'utf8');

/** What the Content-Security-Policy of the pages allows: only their own style sheet and script, by their hashes. */
export const ALLOWED = `style-src '${hashOf(STYLE)}'; script-src '${hashOf(SCRIPT)}'; img-src data:`;

/** The HTML of a page. Nothing is loaded from elsewhere. Without its script a page shows everything, too. */
export function pageHtml({ title, body }: { title: string; body: string }): string {
    return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
${body}
<script>${SCRIPT}</script>
</body>
</html>
`;
}

/** A group of links in the menu. */
export function menuGroup(name: string, links: ReadonlyArray<{ path: string; title: string }>): string {
    const items = links.map(({ path, title }) => `<li><a href="${path}">${escaped(title)}</a></li>`);
    return `<div class="group"><h2>${escaped(name)}</h2><ul>${items.join('')}</ul></div>`;
}

function hashOf(source: string): string {
    return `sha256-${hash('sha256', source, 'base64')}`;
}
