import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { endpointTable } from '../../gateway/endpoints/index.ts';
import { settingNames } from '../../platform/config.ts';

const readme = readFileSync('README.md', 'utf8');
const WHO = {
    session: 'session',
    any: 'session or API key',
    internal: 'internal secret',
    internal_session: 'internal secret and session',
    login: 'anybody',
    none: 'anybody',
};

test('the README lists exactly the endpoints that there are, and who may call them', () => {
    const listed = Array.from(
        readme.matchAll(/^\| (GET|POST|PATCH|DELETE) \| (\S+) \| (.+) \|$/gm),
        ([, ...row]) => row,
    );
    const endpoints = endpointTable({ version: '', cache: async () => {}, clock: Date.now });
    assert.deepEqual(
        listed.map((row) => row.join(' ')).sort(),
        endpoints.map(({ method, path, access }) => `${method} ${path} ${WHO[access]}`).sort(),
    );
});

test('the README lists every setting', () => {
    const table = readme.slice(readme.indexOf('## Settings'));
    const missing = settingNames.filter((name) => !table.includes(`\`${name}\``));
    assert.deepEqual(missing, []);
});
