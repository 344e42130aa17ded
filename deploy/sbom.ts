import { execFileSync } from 'node:child_process';
import manifest from '../package.json' with { type: 'json' };
import { imagePackages } from './image-packages.ts';

/**
 * `npm run sbom`: prints the software bill of materials of the images, as CycloneDX. It lists the packages of the
 * lockfile that deploy/Dockerfile copies into the images, but not the contents of the base image. `npm sbom --omit=dev`
 * would leave out packages that development needs too, and would list packages for other platforms.
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
// npm takes the name from the folder of the project.
const metadata = { ...whole.metadata, component: { ...whole.metadata.component, name: manifest.name } };
console.log(JSON.stringify({ ...whole, metadata, components, dependencies }, null, 2));
