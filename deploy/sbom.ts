import { execFileSync } from 'node:child_process';

/**
 * `npm run sbom`: the bill of materials of the image, as CycloneDX. Everything in the lockfile, less what is marked as for
 * development or optional: `npm sbom --omit=dev` itself would leave out what development needs too.
 */

interface Component {
    'bom-ref': string;
    scope?: 'required' | 'optional';
}
interface Bill {
    metadata: { component: Component };
    components: Component[];
    dependencies: Array<{ ref: string; dependsOn: string[] }>;
}

const sbom = ['sbom', '--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=application'];
const whole: Bill = JSON.parse(execFileSync('npm', sbom, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }));

// npm gives packages for development the scope of optional ones.
const components = whole.components.filter(({ scope }) => scope === 'required');
const kept = new Set([whole.metadata.component, ...components].map((component) => component['bom-ref']));
const dependencies = whole.dependencies
    .filter(({ ref }) => kept.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((target) => kept.has(target)) }));
console.log(JSON.stringify({ ...whole, components, dependencies }, null, 2));
