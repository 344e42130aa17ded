import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { imagePackages, type LockedPackage } from '../../../deploy/image-packages.ts';
import manifest from '../../../package.json' with { type: 'json' };

interface Component {
    name: string;
    version: string;
}
interface Bill {
    metadata: { component: Component };
    components: Component[];
}

/** Licences that only require their text to be included. Each part of a combined licence must be listed here. */
const PERMISSIVE = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'CC0-1.0', 'ISC', 'MIT'];

const { packages }: { packages: Record<string, LockedPackage> } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const installed = Object.entries(packages).filter(([path, { dev }]) => path !== '' && !dev);

test('every shipped package has a permissive licence', () => {
    assert.ok(installed.length > 100);
    const others = installed.filter(([, { license = 'none' }]) => {
        const parts = license.replace(/[()]/g, '').split(/ (?:AND|OR) /);
        return !parts.every((part) => PERMISSIVE.includes(part));
    });
    assert.deepEqual(others, []);
});

test('npm run sbom names the program, and lists exactly the packages that npm ci installs in the image', () => {
    const output = execFileSync('npm', ['run', '--silent', 'sbom'], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
    });
    const bill: Bill = JSON.parse(output);
    const { name, version } = bill.metadata.component;
    assert.deepEqual([name, version], [manifest.name, manifest.version]);
    const names = Array.from(
        imagePackages(),
        ([path, { version }]) => `${path.split('node_modules/').at(-1)}@${version}`,
    );
    const listed = bill.components.map(({ name, version }) => `${name}@${version}`);
    assert.deepEqual([...new Set(listed)].sort(), [...new Set(names)].sort());
});
