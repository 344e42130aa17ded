import type { OpenApi } from '../openapi/document.ts';
import { KINDS, refusal, statusOf } from '../openapi/responses.ts';
import { GUIDES, GUIDES_MENU } from './guides.ts';
import { menuGroup, pageHtml } from './layout.ts';
import { anchorOf, escaped, markdown, text } from './markdown.ts';
import { operationHtml } from './operation.ts';

/** Renders the OpenAPI document as a page for people. */
export function referencePage(document: OpenApi): string {
    const { title, version, description } = document.info;
    const all = Object.entries(document.paths).flatMap(([path, item]) =>
        Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
    );
    const parts = document.tags.map((tag) => ({
        ...tag,
        operations: all.filter(({ operation }) => operation.tags.includes(tag.name)),
    }));
    const menu = parts.map(({ name, operations }) =>
        menuGroup(
            name,
            operations.map(({ operation }) => ({ path: `#${operation.operationId}`, title: operation.summary })),
        ),
    );
    const sections = parts.map(
        ({ name, description, operations }) => `<section class="group">
<h2 id="${anchorOf(name)}">${escaped(name)}</h2>
<p>${text(description)}</p>
${operations.map((each) => operationHtml(document, each)).join('\n')}
</section>`,
    );
    const chapters = [...description.matchAll(/^## (.+)$/gm)].map(([, chapter = '']) => chapter);
    const body = `<header id="top">
<h1>${escaped(title)} <small>${escaped(version)}</small></h1>
${markdown(description)}
<h2 id="guides">Guides and tools</h2>
<ul>${GUIDES.map(({ path, title, about }) => `<li><a href="${path}">${title}</a>: ${text(about)}</li>`).join('')}
<li><a href="/openapi.json">OpenAPI ${escaped(document.openapi)} document</a>: for programs</li></ul>
</header>
<nav aria-label="Operations">
<p class="search"><input id="search" type="search" placeholder="Find an operation: press /" aria-label="Find an operation" hidden>
<output id="found" for="search"></output></p>
${menuGroup(
    'Overview',
    [...chapters, 'Refusals'].map((chapter) => ({ path: `#${anchorOf(chapter)}`, title: chapter })),
)}${GUIDES_MENU}${menu.join('')}</nav>
<main id="operations">
${sections.join('\n')}
<section>
<h2 id="refusals">Refusals</h2>
<p>An operation lists the refusals that mean something of their own there. These are the others.</p>
${refusals()}
</section>
</main>`;
    return pageHtml({ title: `${title}: reference`, body });
}

/** The refusals of any operation, by status. */
function refusals(): string {
    const rows = KINDS.map((kind) => {
        const status = statusOf(kind);
        return `<tr><td>${status}</td><td><code>${kind}</code></td><td>${text(refusal(kind).description)}</td></tr>`;
    });
    return `<table><tr><th>Status</th><th><code>X-Error-Code</code></th><th>When</th></tr>${rows.join('')}</table>`;
}
