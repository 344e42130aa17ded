import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { settingNames } from '../../platform/process/config.ts';

const PAGES = [
    'README.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    ...globSync('docs/*.md'),
    'helm/README.md',
    'client/README.md',
];
const OPERATIONS = readFileSync('docs/operations.md', 'utf8');

/** Of a page, as its readers' browsers know its headings. */
function anchors(page: string): string[] {
    const headings = readFileSync(page, 'utf8').matchAll(/^#+ (.+)$/gm);
    return Array.from(headings, ([, text = '']) =>
        text
            .toLowerCase()
            .replace(/[^\p{L}\p{N} _-]/gu, '')
            .replaceAll(' ', '-'),
    );
}

/** What stands in `code` and looks as `form` says. */
function named(form: RegExp): string[] {
    return Array.from(OPERATIONS.matchAll(/`([^`\n]+)`/g), ([, code = '']) => code).filter((code) => form.test(code));
}

for (const page of PAGES) {
    it(`every link within the repository leads somewhere: ${page}`, () => {
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

describe('the page about operations', () => {
    it('names no setting that the program does not have', () => {
        const names = named(/^[A-Z]+(_[A-Z0-9]+)+(=.*)?$/).map((code) => code.split('=')[0] as string); // split gives one
        const ofOthers = /^PUBLISH_ON$|^(GATEWAY_[12]|PROMETHEUS|GRAFANA)_PORT$|^NODE_EXTRA_CA_CERTS$/; // Compose's, Node's
        const unknown = names.filter(
            (name) => !settingNames.includes(name.replace(/_FILE$/, '')) && !ofOthers.test(name),
        );
        assert.ok(names.length > 30);
        assert.deepEqual(unknown, []);
    });

    it('names no value that the chart does not have', () => {
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
