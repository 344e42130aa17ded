import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { ROLES } from '../../main.ts';
import manifest from '../../package.json' with { type: 'json' };
import { settingNames } from '../../platform/process/config.ts';
import { SCOPES } from '../../proto/scopes.ts';
import { codeIn, rowsOf } from '../../tools/reference/page-tables.ts';
import { ROLE_TABLE, TABLE_ROLES } from '../../tools/reference/role-table.ts';
import { KNOWN_SETTINGS } from '../full/deploy/known-settings.ts';
import { assertEntries } from './entries.ts';

const PAGES = globSync('**/*.md', { exclude: ['**/node_modules/**', 'test/vectors/**', '.*/**'] });
const OPERATIONS = globSync('docs/operations/*.md')
    .map((page) => readFileSync(page, 'utf8'))
    .join('\n');

const LINE_WIDTH = 120;

/** Returns the numbers of the lines that are too long. Table rows, code and lines with a single word may be longer. */
function longLines(text: string): number[] {
    let isCode = false;
    return text.split('\n').flatMap((line, index) => {
        if (/^\s*```/.test(line)) isCode = !isCode;
        const mayBeLong = isCode || /^\s*\|/.test(line) || !/\S\s+\S/.test(line.replace(/^\s*([-*>]|\d+\.)\s+/, ''));
        return mayBeLong || Array.from(line).length <= LINE_WIDTH ? [] : [index + 1];
    });
}

/** The anchors that GitHub gives the headings of a page. */
function anchors(page: string): string[] {
    const headings = readFileSync(page, 'utf8').matchAll(/^#+ (.+)$/gm);
    return Array.from(headings, ([, text = '']) =>
        text
            .toLowerCase()
            .replace(/[^\p{L}\p{N} _-]/gu, '')
            .replaceAll(' ', '-'),
    );
}

/** The texts in `code` on the pages of operations that match `form`. */
function named(form: RegExp): string[] {
    return Array.from(OPERATIONS.matchAll(/`([^`\n]+)`/g), ([, code = '']) => code).filter((code) => form.test(code));
}

for (const page of PAGES) {
    it(`every link within the repository has a target: ${page}`, () => {
        const links = Array.from(readFileSync(page, 'utf8').matchAll(/\]\(([^)\s]+)\)/g), ([, to = '']) => to);
        const lost = links.filter((link) => {
            if (/^https?:/.test(link)) return false;
            const [path = '', anchor] = link.split('#');
            const target = path === '' ? page : join(dirname(page), path);
            return !existsSync(target) || (anchor !== undefined && !anchors(target).includes(anchor));
        });
        assert.deepEqual(lost, []);
    });
}

describe('every Markdown page', () => {
    it('names only scripts that package.json has', () => {
        const commands = PAGES.flatMap((page) =>
            Array.from(
                readFileSync(page, 'utf8').matchAll(/npm\s+run(?:\s+-\S+)*\s+([\w:.-]*\w)/g),
                ([, name = '']) => ({
                    page,
                    name,
                }),
            ),
        );
        assert.ok(commands.length > 50);
        assert.deepEqual(
            commands.filter(({ name }) => !Object.hasOwn(manifest.scripts, name)),
            [],
        );
    });

    for (const page of PAGES) {
        it(`wraps its lines at ${LINE_WIDTH} columns: ${page}`, () => {
            assert.deepEqual(longLines(readFileSync(page, 'utf8')), []);
        });
    }

    it('may have longer lines only in tables, in code and where a line cannot be broken', () => {
        const wide = 'word '.repeat(30);
        assert.deepEqual(longLines(`| ${wide} |\n\`\`\`\n${wide}\n\`\`\`\n- ${'x'.repeat(150)}`), []);
        assert.deepEqual(longLines(`short\n${wide}`), [2]);
    });
});

it('the tour of README.md verifies a credential before and after it is revoked', () => {
    const answers = readFileSync('README.md', 'utf8').matchAll(
        /"valid":(?:true|false)|"message":"Credential revoked"/g,
    );
    assert.deepEqual(Array.from(answers, String), ['"valid":true', '"message":"Credential revoked"', '"valid":false']);
});

it('CHANGELOG.md has the form of Keep a Changelog, up to the current version', () => {
    const headings = readFileSync('CHANGELOG.md', 'utf8').match(/^##.*/gm) ?? [];
    const [unreleased, current] = headings.filter((heading) => heading.startsWith('## '));
    assert.equal(unreleased, '## [Unreleased]');
    assert.ok(current?.startsWith(`## [${manifest.version}] - `), current);
    const form =
        /^## \[(Unreleased\]|\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d)$|^### (Added|Changed|Deprecated|Removed|Fixed|Security)$/;
    assert.deepEqual(
        headings.filter((heading) => !form.test(heading)),
        [],
    );
});

describe('docs/architecture.md', () => {
    it('has a row for each role in its table of roles', () => {
        assertEntries(TABLE_ROLES, ROLES, ROLE_TABLE);
    });
});

describe('docs/guides/api-keys.md', () => {
    it('has each scope once in its table', () => {
        const guide = 'docs/guides/api-keys.md';
        const scopes = rowsOf(guide).flatMap(([cell = '']) => codeIn(cell).filter((code) => code.includes(':')));
        assert.equal(new Set(scopes).size, scopes.length);
        assertEntries(scopes, SCOPES, guide);
    });
});

describe('docs/operations/', () => {
    it('names only settings that exist', () => {
        // split returns at least one part
        const names = named(/^[A-Z]+(_[A-Z0-9]+)+(=.*)?$/).map((code) => code.split('=')[0] as string);
        // Settings of the launchers, of docker-compose.yml and of Node.
        const ofOthers =
            /^(DATA_DIR|READY_SECONDS|PUBLISH_ON)$|^(GATEWAY_[12]|PROXY|PROMETHEUS|GRAFANA)_PORT$|^NODE_EXTRA_CA_CERTS$/;
        const unknown = names.filter(
            (name) =>
                ![name, name.replace(/_FILE$/, '')].some((one) => KNOWN_SETTINGS.includes(one) || ofOthers.test(one)),
        );
        assert.ok(names.length > 30);
        assert.deepEqual(unknown, []);
    });

    it('names only values that the chart has', () => {
        const values = parse(readFileSync('helm/values.yaml', 'utf8'));
        const tops = Object.keys(values).join('|');
        const paths = named(new RegExp(`^(${tops})(\\.\\w+)+$`));
        const unknown = paths.filter((path) => {
            const [name = '', ...rest] = path.split('.');
            if (name === 'settings') return !settingNames.includes(rest.join('.'));
            const asDefault = name === 'roles' ? ['defaults', ...rest.slice(1)] : [name, ...rest];
            return asDefault.reduce((value, key) => value?.[key], values) === undefined;
        });
        assert.ok(paths.length > 5);
        assert.deepEqual(unknown, []);
    });
});
