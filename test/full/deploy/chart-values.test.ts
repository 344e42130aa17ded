import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parse } from 'yaml';
import { ROLES } from '../../../main.ts';
import { loadConfig } from '../../../platform/process/config.ts';
import { helm, podOf, render, VALUE_SETS } from './helm.ts';

const text = readFileSync('helm/values.yaml', 'utf8');
const values: unknown = parse(text);

test('every value of the chart has a comment that describes it, or what it is part of', () => {
    const described = commented(text.split('\n'));
    const isDescribed = (path: string) => described.some((of) => path === of || path.startsWith(`${of}.`));
    assert.deepEqual(
        leaves(values).filter((path) => !isDescribed(path) && !SAID_BY_NAME.has(path)),
        [],
    );
});

/** Values whose name says all. */
const SAID_BY_NAME = new Set([
    'image.pullPolicy',
    'monitoring.prometheusRule.enabled',
    'monitoring.prometheusRule.labels',
]);

/** Returns the paths of the values, and of the maps around values, that have a comment on the line before them. */
function commented(lines: readonly string[]): string[] {
    const paths: string[] = [];
    const names: string[] = [];
    for (const [at, line] of lines.entries()) {
        const [, indent = '', name] = /^( *)(\w+):/.exec(line) ?? [];
        if (name === undefined) continue;
        names.splice(indent.length / 2, names.length, name);
        if (/^ *# /.test(lines[at - 1] ?? '')) paths.push(names.join('.'));
    }
    return paths;
}

test('the notes of helm count the connections of each role’s pool, and those of draining pods', () => {
    const said = (...values: string[]) => {
        const text = helm('install', 'release', 'helm', '--dry-run=client', ...VALUE_SETS.default, ...values);
        return /at most (\d+) connections to PostgreSQL.*?up to (\d+)/s.exec(text)?.slice(1).map(Number);
    };
    const services = render(...VALUE_SETS.default).filter(({ kind }) => kind === 'Deployment').length - 1;
    const fixed = ['--set', 'defaults.autoscaling.enabled=false'];
    assert.deepEqual(said(), [services * 6 * 4 + 1, 2 * services * 6 * 4 + 1]);
    assert.deepEqual(said(...fixed), [services * 2 * 4 + 1, 2 * services * 2 * 4 + 1]);
    const pools = [
        'defaults.settings.DATABASE_POOL=3',
        'roles.did.settings.DATABASE_POOL=10',
        'settings.DATABASE_POOL=8',
    ];
    const all = (services - 1) * 2 * 3 + 2 * 10;
    assert.deepEqual(said(...fixed, '--set-string', pools.join()), [all + 1, 2 * all + 1]);
});

test('the notes of helm name each store that pods may connect to at any address', () => {
    const said = (...values: string[]) => {
        const text = helm('install', 'release', 'helm', '--dry-run=client', ...values);
        return Array.from(text.matchAll(/networkPolicy\.(\w+)\.to is empty/g), ([, name]) => name);
    };
    assert.deepEqual(said(...VALUE_SETS.production), []);
    assert.deepEqual(said(...VALUE_SETS.default), ['database', 'redis']);
    assert.deepEqual(said(...VALUE_SETS.default, '--set', 'networkPolicy.enabled=false'), []);
    assert.deepEqual(said(...VALUE_SETS.try), []);
});

test('a value that is null is refused by its name', () => {
    const refusal = (path: string): string => {
        try {
            helm('template', 'release', 'helm', ...VALUE_SETS.default, '--set', `${path}=null`);
            return 'none';
        } catch (error) {
            return String(error);
        }
    };
    // `settings` is a map of the operator, who may leave out any of its members.
    const fixed = topTwo(values).filter((path) => !path.startsWith('settings.'));
    const given = ['roles.did', 'roles.gateway.resources', 'roles.gateway.autoscaling'];
    for (const path of [...fixed, ...given]) {
        const [name] = path.split('.').slice(-1);
        const message = refusal(path);
        assert.match(message, /don't meet the specifications of the schema/, path);
        assert.match(message, new RegExp(`'${name}'|/${name}'`), path);
    }
});

test('no program of the chart, the migrations included, gets settings that it refuses in production', () => {
    for (const values of Object.values(VALUE_SETS)) {
        const containers = render(...values).flatMap((manifest) => podOf(manifest)?.containers ?? []);
        const programs = containers.filter(({ args = [] }) => ['migrate', ...ROLES].includes(args[0]));
        assert.equal(programs.length, 1 + ROLES.length);
        for (const { args, env } of programs) {
            const given: Array<{ name: string; value: string }> = env;
            const settings = given
                .filter(({ name }) => !name.endsWith('_FILE'))
                .map(({ name, value }) => [name, value]);
            assert.doesNotThrow(() => loadConfig({ NODE_ENV: 'production', ...Object.fromEntries(settings) }), args[0]);
        }
    }
});

/** Returns the paths of all values, and of the members of those that are objects. */
function topTwo(values: unknown): string[] {
    return Object.entries(values ?? {}).flatMap(([name, value]) =>
        typeof value !== 'object' || Array.isArray(value)
            ? [name]
            : [name, ...Object.keys(value ?? {}).map((inner) => `${name}.${inner}`)],
    );
}

/** Returns the paths of all values that are not objects, such as `image.tag`. */
function leaves(value: unknown, path = ''): string[] {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || Object.keys(value).length === 0)
        return [path];
    return Object.entries(value).flatMap(([name, inner]) => leaves(inner, path === '' ? name : `${path}.${name}`));
}
