import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { boundsPage } from '../../tools/reference/bounds-page.ts';
import { commandsPage } from '../../tools/reference/commands-page.ts';
import { endpointsPage } from '../../tools/reference/endpoints-page.ts';
import { owaspPage } from '../../tools/reference/owasp-page.ts';
import { settingsPage } from '../../tools/reference/settings-page.ts';

/** Compares a page with what `npm run reference` would write now. */
function assertCurrent(name: string, text: string): void {
    const path = `docs/reference/${name}.md`;
    assert.equal(
        readFileSync(path, 'utf8'),
        text,
        `${path} is not up to date: run \`npm run reference\` and commit it`,
    );
}

test('the reference page of endpoints agrees with the code', () => {
    assertCurrent('endpoints', endpointsPage());
});

test('the reference page of bounds agrees with the code', () => {
    assertCurrent('bounds', boundsPage());
});

test('the reference page of the matrix agrees with the code', () => {
    assertCurrent('owasp', owaspPage());
});

test('the reference page of settings agrees with the code', () => {
    assertCurrent('settings', settingsPage());
});

test('the reference page of commands agrees with the table of commands', () => {
    assertCurrent('cli', commandsPage());
});
