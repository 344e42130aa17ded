import { execFileSync } from 'node:child_process';
import manifest from '../package.json' with { type: 'json' };
import { imagePackages } from './image-packages.ts';

/**
 * `npm run sbom`: the bill of materials of what this project adds to the images, as CycloneDX. It lists everything in
 * the lockfile that gets into them. `npm sbom --omit=dev` would leave out packages that development needs too, and list
 * packages for other platforms. The contents of the base image are not included.
 */

interface Component {
    'bom-ref': string;
    name: string;
}
interface Bill {
    metadata: { component: Component };
    components: Component[];
    dependencies: Array<{ ref: string; dependsOn: string[] }>;
}

const sbom = ['sbom', '--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=application'];
const whole: Bill = JSON.parse(execFileSync('npm', sbom, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }));

const shipped = new Set(
    Array.from(imagePackages(), ([path, { version }]) => `${path.split('node_modules/').at(-1)}@${version}`),
);
const components = whole.components.filter((component) => shipped.has(component['bom-ref']));
const kept = new Set([whole.metadata.component, ...components].map((component) => component['bom-ref']));
const dependencies = whole.dependencies
    .filter(({ ref }) => kept.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((target) => kept.has(target)) }));
// npm names it after the folder that it is in.
const metadata = { ...whole.metadata, component: { ...whole.metadata.component, name: manifest.name } };
console.log(JSON.stringify({ ...whole, metadata, components, dependencies }, null, 2));
