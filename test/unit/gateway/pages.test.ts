import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { test } from 'node:test';
import { GUIDES } from '../../../gateway/docs/guides.ts';
import { interfaceParts } from '../../../gateway/endpoints/index.ts';
import { pages } from '../../../gateway/pages.ts';

const all = pages(interfaceParts({ version: '', cache: async () => {}, clock: Date.now }), '1.2.3');
const PAGES = new Map(
    await Promise.all(
        all.map(async ({ path, document }) => [path, (await document()).bodies.identity.toString()] as const),
    ),
);

/** The values of an attribute, which the pages write in quotes. */
function valuesOf(attribute: 'href' | 'id', html: string): string[] {
    return Array.from(html.matchAll(new RegExp(` ${attribute}="([^"]+)"`, 'g')), ([, value = '']) => value);
}

test('the pages link only to pages and sections that exist', () => {
    const lost = [...PAGES].flatMap(([page, html]) =>
        valuesOf('href', html).filter((href) => {
            if (/^(https?|data):/.test(href)) return false;
            const [path = '', id] = href.split('#');
            const target = PAGES.get(path || page);
            return target === undefined || (id !== undefined && !valuesOf('id', target).includes(id));
        }),
    );
    assert.ok(PAGES.size > 8);
    assert.deepEqual(lost, []);
});

test('the reference links to every page', () => {
    const linked = valuesOf('href', PAGES.get('/docs') ?? '');
    assert.deepEqual(
        [...PAGES.keys()].filter((path) => path !== '/docs' && !linked.includes(path)),
        [],
    );
});

test('every guide is published', () => {
    const published = GUIDES.map(({ file }): string => file);
    assert.deepEqual(
        globSync('docs/guides/*.md').filter((file) => !published.includes(file)),
        [],
    );
});

test('no page has an id twice', () => {
    for (const [path, html] of PAGES) assert.deepEqual(valuesOf('id', html), [...new Set(valuesOf('id', html))], path);
});
