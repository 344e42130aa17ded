import assert from 'node:assert/strict';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, it, test } from 'node:test';
import { parse, parseAllDocuments } from 'yaml';
import { ROLES } from '../../../main.ts';
import manifest from '../../../package.json' with { type: 'json' };
import { loadConfig } from '../../../platform/process/config.ts';
import { STOP_CAP_MS } from '../../../platform/process/process.ts';
import { SERVICE_ROLES } from '../../../proto/services.ts';
import { assertEntries } from '../../contract/entries.ts';
import { CHART_SERVICES, helm, type Manifest, podOf, render, VALUE_SETS } from './helm.ts';
import { KNOWN_SETTINGS } from './known-settings.ts';

const GOLDEN = 'test/full/deploy/chart.golden.yaml';

/** Kubernetes makes a label of the name of a Job, and one of that of a StatefulSet with eleven characters more. */
const LONGEST_NAMES: Record<string, number> = { Service: 63, Job: 63, StatefulSet: 52 };

const of = (manifests: Manifest[], kind: string) => manifests.filter((candidate) => candidate.kind === kind);
const component = ({ metadata }: Manifest) => metadata.labels['app.kubernetes.io/component'] ?? '';

test('the chart renders the manifests that were last reviewed (UPDATE_GOLDEN=1 accepts a change)', () => {
    const rendered = helm('template', 'release', 'helm', '--kube-version', '1.31.0', ...VALUE_SETS.default);
    if (process.env['UPDATE_GOLDEN']) writeFileSync(GOLDEN, rendered);
    assert.equal(rendered, readFileSync(GOLDEN, 'utf8'));
});

describe('the chart', () => {
    it('has the version of the program', () => {
        const { version, appVersion } = parse(readFileSync('helm/Chart.yaml', 'utf8'));
        assert.deepEqual([version, appVersion], [manifest.version, manifest.version]);
    });

    it('runs at least two pods of each role, and starts a new pod before it stops an old one', () => {
        const manifests = render(...VALUE_SETS.default);
        const deployments = of(manifests, 'Deployment');
        assertEntries(deployments.map(component), ROLES, CHART_SERVICES);
        for (const { spec } of deployments) {
            assert.deepEqual(podOf({ spec } as Manifest).containers[0].args, [
                podOf({ spec } as Manifest).containers[0].name,
            ]);
            assert.equal(spec.strategy.rollingUpdate.maxUnavailable, 0);
        }
        const scaled = of(manifests, 'HorizontalPodAutoscaler');
        assertEntries(scaled.map(component), ROLES, CHART_SERVICES);
        assert.ok(scaled.every(({ spec }) => spec.minReplicas >= 2));
        const fixed = render(...VALUE_SETS.default, '--set', 'defaults.autoscaling.enabled=false');
        assert.ok(of(fixed, 'Deployment').every(({ spec }) => spec.replicas === 2));
    });

    it('can also scale by a metric that the program exports', () => {
        const scaled = of(render(...VALUE_SETS['pool wait']), 'HorizontalPodAutoscaler').filter(
            ({ spec }) => spec.metrics.length > 1,
        );
        assert.deepEqual(scaled.map(component), ['identity', 'wallet']);
        assert.match(
            readFileSync('helm/values-pool-wait.yaml', 'utf8'),
            /password_wait_seconds_sum\{lane="foreground"/,
        );
        assert.match(readFileSync('workers/crypto/pool-metrics.ts', 'utf8'), /name: 'password_wait_seconds'/);
    });

    it('gives each role only settings that the program accepts, and only the secrets that it reads', () => {
        const secrets = of(render(...VALUE_SETS.default), 'Deployment').map((deployment) => {
            const { env } = podOf(deployment).containers[0] as { env: Array<{ name: string; value: string }> };
            const files = env.filter(({ name }) => name.endsWith('_FILE')).map(({ name }) => name.slice(0, -5));
            const settings = env.filter(({ name }) => !name.endsWith('_FILE'));
            const names = [...files, ...settings.map(({ name }) => name)];
            assert.deepEqual(
                names.filter((name) => !KNOWN_SETTINGS.includes(name)),
                [],
            );
            const given = Object.fromEntries(settings.map(({ name, value }) => [name, value]));
            loadConfig({ NODE_ENV: 'production', ...given }, SERVICE_ROLES);
            return `${component(deployment)}: ${files.sort().join(' ')}`;
        });
        const others = SERVICE_ROLES.filter((role) => !['identity', 'usage', 'signing', 'events'].includes(role));
        const expected = [
            'gateway: INTERNAL_SECRET REDIS_URL SERVICE_TOKEN',
            'identity: DATABASE_URL IDEMPOTENCY_PEPPER JWT_KEYS REDIS_URL SERVICE_TOKEN',
            'signing: DATABASE_URL IDEMPOTENCY_PEPPER KEK REDIS_URL SERVICE_TOKEN',
            'usage: DATABASE_URL REDIS_URL SERVICE_TOKEN',
            'events: DATABASE_URL REDIS_URL SERVICE_TOKEN',
            ...others.map((role) => `${role}: DATABASE_URL IDEMPOTENCY_PEPPER REDIS_URL SERVICE_TOKEN`),
        ];
        assertEntries(secrets, expected, CHART_SERVICES);
    });

    it('gives the URLs of a role’s own databases to the role, to usage and to the migrations', () => {
        for (const { value, setting, role } of [
            { value: 'secrets.databases.wallet', setting: 'DATABASE_URL_WALLET', role: 'wallet' },
            { value: 'secrets.credentialParts', setting: 'CREDENTIAL_PARTS', role: 'credentials' },
        ]) {
            const manifests = render(...VALUE_SETS.default, '--set', `${value}=its-url`);
            const readers = [...of(manifests, 'Deployment'), ...of(manifests, 'Job')].filter((manifest) =>
                podOf(manifest).containers[0].env.some(
                    ({ name, value }: Record<string, string>) =>
                        name === `${setting}_FILE` && value?.endsWith('/its-url'),
                ),
            );
            assert.deepEqual(readers.map(component).sort(), ['migrate', 'usage', role].sort());
        }
        assert.throws(
            () => render(...VALUE_SETS.default, '--set', 'secrets.databases.walet=its-url'),
            /secrets\.databases\.walet: must be one of the services/,
        );
    });

    it('exposes only /v1, and the DID documents and metadata of issuers to the outside', () => {
        const [ingress] = of(render(...VALUE_SETS.production), 'Ingress');
        const paths = ingress?.spec.rules.flatMap((rule: Manifest['spec']) => rule.http.paths);
        assert.deepEqual(
            paths.map(({ path, pathType }: Manifest['spec']) => [path, pathType]),
            [
                ['/v1', 'Prefix'],
                ['/issuers', 'Prefix'],
                ['/.well-known', 'Prefix'],
            ],
        );
    });

    it('migrates before each installation or upgrade, and deletes the previous job first', () => {
        const [job] = of(render(...VALUE_SETS.default), 'Job');
        assert.deepEqual(podOf(job as Manifest).containers[0].args, ['migrate']);
        assert.equal(job?.metadata.annotations?.['helm.sh/hook'], 'pre-install,pre-upgrade');
        assert.match(job?.metadata.annotations?.['helm.sh/hook-delete-policy'] ?? '', /before-hook-creation/);
    });

    it('packages the alerts, the dashboards and the PostgreSQL role of deploy/, and nothing else of it', () => {
        const manifests = render(...VALUE_SETS.production);
        const named = (kind: string) =>
            of(manifests, kind).filter((candidate) => component(candidate) === 'monitoring');
        assert.equal(named('ServiceMonitor').length, 1);
        assert.equal(named('PrometheusRule').length, globSync('deploy/prometheus/alerts*.yaml').length);
        const dashboards = named('ConfigMap').flatMap(({ data }) => Object.keys(data ?? {}));
        assert.deepEqual(
            dashboards.sort(),
            globSync('deploy/grafana/*.json')
                .map((path) => basename(path))
                .sort(),
        );
        const ignored = readFileSync('helm/.helmignore', 'utf8');
        const others = globSync('deploy/*')
            .map((path) => basename(path))
            .filter((name) => !/^(grafana|postgres|prometheus)$/.test(name));
        assert.deepEqual(
            others.filter((name) => !new RegExp(`^files/${name}/?$`, 'm').test(ignored)),
            [],
        );
    });

    it('refuses unknown values, and an installation without secrets', () => {
        const refused = (value: string, message: RegExp) =>
            assert.throws(() => render(...VALUE_SETS.default, '--set', value), message);
        refused('replicas=3', /replicas.*not allowed/);
        refused('roles.gatevay.replicas=3', /roles\.gatevay: must be one of the roles gateway, identity, /);
        refused('networkPolicy.grpcFrom.gateway[0].x=y', /grpcFrom\.gateway: must be one of the services identity, /);
        assert.throws(() => render(), /secrets\.existingSecret: name a Secret/);
    });

    it('has names that Kubernetes accepts, however long the name of the release is', () => {
        const longest = 'r'.repeat(53);
        for (const values of Object.values(VALUE_SETS)) {
            const text = helm('template', longest, 'helm', '--kube-version', '1.31.0', ...values);
            for (const document of parseAllDocuments(text)) {
                const { kind, metadata } = document.toJS() as Manifest;
                assert.ok(metadata.name.length <= (LONGEST_NAMES[kind] ?? 253), `${kind} ${metadata.name}`);
            }
        }
    });

    it('refuses a grace period in which a pod cannot drain', () => {
        const draining = (seconds: number) => render(...VALUE_SETS.default, '--set', `drainSeconds=${seconds}`);
        const tooLong = 30 - STOP_CAP_MS / 1_000;
        assert.ok(draining(tooLong - 1).length > 0);
        assert.throws(
            () => draining(tooLong),
            /terminationGracePeriodSeconds: must be more than drainSeconds and .* \(30\)/,
        );
    });
});

for (const [name, values] of Object.entries(VALUE_SETS)) {
    test(`with the values "${name}", no pod has privileges, a service account token or a writable root`, () => {
        const pods = render(...values).flatMap((candidate) => podOf(candidate) ?? []);
        assert.ok(pods.length >= ROLES.length + 2, `${CHART_SERVICES}: add the roles that have no pods`);
        for (const pod of pods) {
            assert.equal(pod.automountServiceAccountToken, false);
            assert.equal(pod.securityContext.runAsNonRoot, true);
            assert.deepEqual(pod.securityContext.seccompProfile, { type: 'RuntimeDefault' });
            for (const { securityContext: container } of pod.containers) {
                assert.equal(container.readOnlyRootFilesystem, true);
                assert.equal(container.allowPrivilegeEscalation, false);
                assert.deepEqual(container.capabilities, { drop: ['ALL'] });
            }
        }
    });
}
