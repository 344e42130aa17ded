import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';

const TOOLS = 'test/deploy/tools';

/** One object of Kubernetes. */
export interface Manifest {
    apiVersion: string;
    kind: string;
    metadata: { name: string; labels: Record<string, string>; annotations?: Record<string, string> };
    spec: Spec;
    data?: Record<string, string>;
    stringData?: Record<string, string>;
}

/** What manifests hold is asserted by the tests and by the schemas: reading it needs no types. */
// biome-ignore lint/suspicious/noExplicitAny: see above
type Spec = any;

/** The values that the chart is rendered with in the tests, by what they are for. */
export const VALUE_SETS = {
    default: ['--set', 'secrets.existingSecret=the-secret,settings.GRPC_CLEARTEXT=allow'],
    production: ['--values', 'helm/values-production.yaml'],
    try: ['--values', 'helm/values-try.yaml'],
    'pool wait': [
        '--set',
        'secrets.existingSecret=the-secret,settings.GRPC_CLEARTEXT=allow',
        '--values',
        'helm/values-pool-wait.yaml',
    ],
    tls: [
        '--set',
        'secrets.existingSecret=the-secret,grpcTls.existingSecret=the-certificates,trustedCa.existingSecret=the-authority',
    ],
} as const;

let tools: string | undefined;

/** The node_modules of test/deploy/tools, installed where they are not. */
export function installedTools(): string {
    if (tools === undefined) {
        execFileSync('npm', ['run', '--silent', 'ensure'], { cwd: TOOLS, stdio: ['ignore', 'ignore', 'inherit'] });
        tools = join(TOOLS, 'node_modules');
    }
    return tools;
}

/** HELM_PATH, or the Helm that the tools' package brings for Linux on x64. */
function helmProgram(): string {
    if (process.env['HELM_PATH']) return process.env['HELM_PATH'];
    if (process.platform !== 'linux' || process.arch !== 'x64') throw new Error('Set HELM_PATH to a Helm 3 or 4.');
    return join(installedTools(), '.bin/helm');
}

/** What Helm prints; throws with what it complains of. */
export function helm(...args: string[]): string {
    return execFileSync(helmProgram(), args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** What an installation as `release` in the namespace `here` with these values would create. */
export function render(...values: readonly string[]): Manifest[] {
    const text = helm('template', 'release', 'helm', '--namespace', 'here', '--kube-version', '1.31.0', ...values);
    return parseAllDocuments(text).map((document) => document.toJS() as Manifest); // held to schemas by the tests
}

/** The pod of a Deployment, StatefulSet, Job or Pod; nothing of others. */
export function podOf({ kind, spec }: Manifest): Spec | undefined {
    return kind === 'Pod' ? spec : spec?.template?.spec;
}
