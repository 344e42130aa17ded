import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';

const TOOLS = 'test/full/deploy/tools';

/** A Kubernetes object. */
export interface Manifest {
    apiVersion: string;
    kind: string;
    metadata: { name: string; labels: Record<string, string>; annotations?: Record<string, string> };
    spec: Spec;
    data?: Record<string, string>;
    stringData?: Record<string, string>;
}

// biome-ignore lint/suspicious/noExplicitAny: the tests and the schemas check the content of manifests
type Spec = any;

/** Helm arguments with the values that the tests render the chart with, by purpose. */
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

/** Where the chart lists the services, for messages. */
export const CHART_SERVICES = 'helm/templates/_roles.tpl, "services"';

let tools: string | undefined;

/** Installs the packages of test/full/deploy/tools if they are missing. Returns the path of their node_modules. */
export function installedTools(): string {
    if (tools === undefined) {
        execFileSync('npm', ['run', '--silent', 'ensure'], { cwd: TOOLS, stdio: ['ignore', 'ignore', 'inherit'] });
        tools = join(TOOLS, 'node_modules');
    }
    return tools;
}

/** Returns HELM_PATH, or the path of the Helm in test/full/deploy/tools. Throws if that Helm does not run here. */
function helmProgram(): string {
    if (process.env['HELM_PATH']) return process.env['HELM_PATH'];
    if (process.platform !== 'linux' || process.arch !== 'x64') throw new Error('Set HELM_PATH to a Helm 3 or 4.');
    return join(installedTools(), '.bin/helm');
}

/** Runs Helm and returns its output. Throws with its error output if it fails. */
export function helm(...args: string[]): string {
    return execFileSync(helmProgram(), args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Returns the objects that an installation as `release` in the namespace `here` creates with these values. */
export function render(...values: readonly string[]): Manifest[] {
    const text = helm('template', 'release', 'helm', '--namespace', 'here', '--kube-version', '1.31.0', ...values);
    return parseAllDocuments(text).map((document) => document.toJS() as Manifest); // chart-schemas.test.ts checks them
}

/** Returns the pod of a Deployment, StatefulSet, Job or Pod, and undefined for any other kind. */
export function podOf({ kind, spec }: Manifest): Spec | undefined {
    return kind === 'Pod' ? spec : spec?.template?.spec;
}
