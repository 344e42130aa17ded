import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { menuGroup, pageHtml } from './layout.ts';
import { markdown } from './markdown.ts';

/** The documents for callers that the service publishes: who calls it may not have its source. */
export const GUIDES = [
    {
        file: 'docs/guides/issuers.md',
        path: '/docs/guides/issuers',
        title: 'Managed issuers',
        about: 'the service keeps the keys of an issuer: rotating them, and what to do if one has leaked',
    },
    {
        file: 'docs/guides/wallets.md',
        path: '/docs/guides/wallets',
        title: 'Wallets',
        about: 'credentials that wallets of other makers take and hold',
    },
    {
        file: 'docs/guides/batches.md',
        path: '/docs/guides/batches',
        title: 'Batches',
        about: 'up to 1,000 credentials with one call',
    },
    {
        file: 'docs/guides/idempotency.md',
        path: '/docs/guides/idempotency',
        title: 'Idempotency keys',
        about: 'how a call that creates something is repeated after a lost answer',
    },
    {
        file: 'docs/guides/status-lists.md',
        path: '/docs/guides/status-lists',
        title: 'Status lists',
        about: 'anybody can check a revocation without an account',
    },
    {
        file: 'docs/guides/events.md',
        path: '/docs/guides/events',
        title: 'Events',
        about: 'what happens to the objects of an account, without asking for each of them',
    },
    {
        file: 'docs/guides/webhooks.md',
        path: '/docs/guides/webhooks',
        title: 'Webhooks',
        about: 'the service sends events to your URL, signed, until they arrive',
    },
    {
        file: 'docs/guides/export.md',
        path: '/docs/guides/export',
        title: 'Import, export and erasure',
        about: 'accounts from another system, all that is stored about an account, and how it is removed',
    },
    {
        file: 'docs/guides/api-keys.md',
        path: '/docs/guides/api-keys',
        title: 'API keys',
        about: 'expiry, scopes, addresses and rotation',
    },
    {
        file: 'client/README.md',
        path: '/docs/client',
        title: 'Typed client',
        about: 'for TypeScript and JavaScript, in Node and in browsers',
    },
    { file: 'cli/README.md', path: '/docs/cli', title: 'Command line', about: '`cred`, for people and scripts' },
    {
        file: 'docs/reference/cli.md',
        path: '/docs/cli/commands',
        title: 'Commands of cred',
        about: 'every command, with its options and an example',
    },
    {
        file: 'verify/README.md',
        path: '/docs/verify',
        title: 'Offline verifier',
        about: 'verifies credentials and presentations without calling the service',
    },
] as const;

/** Where the links between the documents lead on the pages. Other documents are not published. */
const PLACES: Readonly<Record<string, string>> = {
    'README.md#a-tour': '/docs#the-first-key',
    'docs/reference/endpoints.md': '/docs#operations',
    ...Object.fromEntries(GUIDES.map(({ file, path }) => [file, path])),
};

/** The pages of the guides. */
export function guidePages(): Array<{ path: string; html(): string }> {
    return GUIDES.map(({ file, path, title }) => ({ path, html: () => guide(file, title) }));
}

function guide(file: string, title: string): string {
    const source = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
    const body = `<nav aria-label="Pages">${menuGroup('Reference', [{ path: '/docs', title: 'Operations' }])}${GUIDES_MENU}</nav>
<main class="guide">
<p><a href="/docs">Credential service</a></p>
${markdown(source, (href) => placeOf(href, file))}
</main>`;
    return pageHtml({ title: `${title}: Credential service`, body });
}

export const GUIDES_MENU = menuGroup('Guides and tools', GUIDES);

function placeOf(href: string, file: string): string | undefined {
    if (/^(https?:|#)/.test(href)) return href;
    const [path = '', anchor] = href.split('#');
    const target = posix.join(posix.dirname(file), path);
    const whole = anchor === undefined ? target : `${target}#${anchor}`;
    if (PLACES[whole] !== undefined) return PLACES[whole];
    return PLACES[target] && `${PLACES[target]}#${anchor}`;
}
