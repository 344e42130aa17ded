import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { endpointsPage } from '../../tools/reference/endpoints-page.ts';
import { settingsPage } from '../../tools/reference/settings-page.ts';

/** `npm run reference` writes these pages. */
const written = (name: string): string => readFileSync(`docs/reference/${name}.md`, 'utf8');

test('the reference page of endpoints agrees with the code', () => {
    assert.equal(written('endpoints'), endpointsPage());
});

test('the reference page of settings agrees with the code', () => {
    assert.equal(written('settings'), settingsPage());
});
