import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { helm, installedTools, type Manifest, render, VALUE_SETS } from './helm.ts';

/** A class of the published models of Kubernetes' objects. It checks a manifest against the OpenAPI schema. */
type Model = new (manifest: Manifest) => { validate(): void };

for (const [name, values] of Object.entries(VALUE_SETS)) {
    describe(`the chart with the values "${name}"`, () => {
        it('passes helm lint', () => {
            helm('lint', 'helm', '--strict', ...values);
        });

        it('renders objects that match the schemas of Kubernetes', async () => {
            for (const manifest of render(...values)) {
                const models = await import(pathToFileURL(resolve(installedTools(), `${modelOf(manifest)}.js`)).href);
                const model: Model = models[manifest.kind];
                assert.doesNotThrow(() => new model(manifest).validate(), `${manifest.kind} ${manifest.metadata.name}`);
            }
        });

        it('renders no field that is unknown to Kubernetes', (t) => {
            const folder = mkdtempSync(join(installedTools(), '.rendered-'));
            t.after(() => rmSync(folder, { recursive: true }));
            writeFileSync(join(folder, 'manifests.ts'), asTypeScript(render(...values)));
            compile(join(folder, 'manifests.ts'));
        });
    });
}

function modelOf({ apiVersion, kind }: Manifest): string {
    const packaged = apiVersion.startsWith('monitoring.coreos.com/')
        ? '@kubernetes-models/prometheus-operator'
        : 'kubernetes-models';
    return `${packaged}/${apiVersion}/${kind}`;
}

/** Returns each object as a literal of its type: the schemas accept unknown fields, but the compiler does not. */
function asTypeScript(manifests: Manifest[]): string {
    const lines = manifests.map((manifest, at) => {
        const { kind } = manifest;
        return `import type { I${kind} as I${at} } from '${modelOf(manifest)}';
            export const ${kind}${at}: I${at} = ${JSON.stringify(manifest, null, 1)};`;
    });
    return lines.join('\n');
}

function compile(file: string): void {
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2024', '--types', '', '--ignoreConfig'];
    try {
        execFileSync('tsc', [...options, '--module', 'nodenext', file], { encoding: 'utf8' });
    } catch (error) {
        assert.fail((error as { stdout: string }).stdout); // what the compiler prints
    }
}
