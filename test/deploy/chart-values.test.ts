import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parse } from 'yaml';

const values: unknown = parse(readFileSync('helm/values.yaml', 'utf8'));
const readme = readFileSync('helm/README.md', 'utf8');
const described = Array.from(readme.matchAll(/^\| `([\w.]+)` \|/gm), ([, path = '']) => path);

test('the README of the chart describes every value, and none that is not there', () => {
    const isDescribed = (path: string) => described.some((row) => path === row || path.startsWith(`${row}.`));
    assert.deepEqual(
        leaves(values).filter((path) => !isDescribed(path)),
        [],
    );
    assert.deepEqual(
        described.filter((path) => !exists(path)),
        [],
    );
});

/** The paths of what is no object: `image.tag`. */
function leaves(value: unknown, path = ''): string[] {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || Object.keys(value).length === 0)
        return [path];
    return Object.entries(value).flatMap(([name, inner]) => leaves(inner, path === '' ? name : `${path}.${name}`));
}

function exists(path: string): boolean {
    let value: unknown = values;
    for (const name of path.split('.')) {
        if (typeof value !== 'object' || value === null || !(name in value)) return false;
        value = Object.entries(value).find(([key]) => key === name)?.[1];
    }
    return true;
}
