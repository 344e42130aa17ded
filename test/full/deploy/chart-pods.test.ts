import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import schema from '../../../helm/values.schema.json' with { type: 'json' };
import { ROLES } from '../../../main.ts';
import { secretNames, settingNames } from '../../../platform/process/config.ts';
import { assertEntries } from '../../contract/entries.ts';
import { CHART_SERVICES, type Manifest, podOf, render, VALUE_SETS } from './helm.ts';

/** The pods of the roles, of the migration and of `helm test`, each with the name of its container. */
function pods(...values: string[]): Array<{ name: string; pod: Manifest['spec'] }> {
    return render(...VALUE_SETS.default, ...values).flatMap((manifest) => {
        const pod = podOf(manifest);
        return pod ? [{ name: pod.containers[0].name, pod }] : [];
    });
}

/** The pods of the roles. */
function roles(...values: string[]) {
    const found = pods(...values).filter(({ name }) => !['migrate', 'health'].includes(name));
    const names = found.map(({ name }) => name);
    assertEntries(names, ROLES, CHART_SERVICES);
    return found;
}

function environment(pod: Manifest['spec']): Record<string, string> {
    const env: Array<{ name: string; value: string }> = pod.containers[0].env;
    return Object.fromEntries(env.map(({ name, value }) => [name, value]));
}

describe('gRPC over TLS in the chart', () => {
    it('may be off only if the values say so', () => {
        const secret = 'secrets.existingSecret=the-secret';
        assert.throws(() => render('--set', secret), /grpcTls.existingSecret, or set settings.GRPC_CLEARTEXT to allow/);
        render('--set', `${secret},settings.GRPC_CLEARTEXT=allow`);
        render('--set', `${secret},grpcTls.existingSecret=the-certificates`);
    });

    it('gives each role the certificate authority of the Secret, with and without client certificates', () => {
        for (const [mutual, setting] of [
            ['true', '1'],
            ['false', '0'],
        ]) {
            const found = roles('--set', `grpcTls.existingSecret=the-certificates,grpcTls.mutual=${mutual}`);
            for (const { name, pod } of found) {
                const env = environment(pod);
                const names = Object.keys(env).filter((key) => key.startsWith('GRPC_TLS'));
                assert.ok(
                    names.every((key) => settingNames.includes(key.replace(/_FILE$/, ''))),
                    name,
                );
                assert.deepEqual(
                    [env['GRPC_TLS_CA_FILE'], env['GRPC_TLS_MUTUAL']],
                    ['/run/secrets/grpc/ca.crt', setting],
                );
            }
        }
    });
});

describe('a private certificate authority for the databases', () => {
    const given = ['--set', 'trustedCa.existingSecret=the-authority,trustedCa.key=database.pem'];

    it('is trusted by the roles and by the migrations', () => {
        const found = pods(...given).filter(({ name }) => name !== 'health');
        assertEntries(
            found.map(({ name }) => name),
            [...ROLES, 'migrate'],
            CHART_SERVICES,
        );
        for (const { name, pod } of found) {
            const file = environment(pod)['NODE_EXTRA_CA_CERTS'] ?? '';
            const mount = pod.containers[0].volumeMounts.find((entry: { mountPath: string }) =>
                file.startsWith(entry.mountPath),
            );
            const volume = pod.volumes.find((entry: { name: string }) => entry.name === mount?.name);
            assert.equal(mount?.readOnly, true, name);
            assert.equal(volume.secret.secretName, 'the-authority', name);
            assert.deepEqual(
                volume.secret.items,
                [{ key: 'database.pem', path: file.slice(mount.mountPath.length + 1) }],
                name,
            );
        }
    });
});

describe('the credentials of the provider of the key-encryption key', () => {
    it('are given to signing alone', () => {
        const keys = 'secrets.keys.kek=,secrets.keys.vaultToken=vault-token';
        const annotations = 'roles.signing.serviceAccountAnnotations.role=arn:aws:iam::111122223333:role/signing';
        const having = roles('--set', `${keys},${annotations}`).filter(({ pod }) =>
            /KEK|VAULT|vault-token/.test(JSON.stringify(pod)),
        );
        assert.deepEqual(
            having.map(({ name }) => name),
            ['signing'],
        );
        const env = environment(having[0]?.pod);
        assert.equal(env['VAULT_TOKEN_FILE'], '/run/secrets/service/vault-token');
        assert.equal(env['KEK_FILE'], undefined);
        const annotated = render(...VALUE_SETS.default, '--set', annotations).filter(
            ({ kind, metadata }) => kind === 'ServiceAccount' && metadata.annotations,
        );
        assert.deepEqual(
            annotated.map(({ metadata }) => metadata.name),
            [having[0]?.pod.serviceAccountName],
        );
    });
});

describe('scheduling values', () => {
    const where = ['priorityClassName=high', 'defaults.nodeSelector.pool=apps', 'defaults.tolerations[0].key=apps'];
    const near = 'defaults.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight=1';

    it('also apply to the migrations and to helm test', () => {
        for (const { name, pod } of pods('--set', [...where, near].join())) {
            assert.equal(pod.priorityClassName, 'high', name);
            assert.deepEqual(pod.nodeSelector, { pool: 'apps' }, name);
            assert.deepEqual(pod.tolerations, [{ key: 'apps' }], name);
            assert.ok(pod.affinity.nodeAffinity, name);
        }
    });
});

describe('pods of a role', () => {
    it('are started again when they have hung for 10 to 30 s', () => {
        for (const { name, pod } of roles()) {
            const { httpGet, periodSeconds, failureThreshold } = pod.containers[0].livenessProbe;
            assert.deepEqual(httpGet, { path: '/livez', port: 'ops' }, name);
            const seconds = periodSeconds * failureThreshold;
            assert.ok(seconds >= 10 && seconds <= 30, `${name}: ${seconds} s`);
        }
    });

    it('have five minutes to start, because many that start at once on few cores are slow', () => {
        for (const { name, pod } of roles()) {
            const { periodSeconds, failureThreshold } = pod.containers[0].startupProbe;
            assert.equal(periodSeconds * failureThreshold, 300, name);
        }
    });

    it('can be required to run on different nodes, but never in different zones, because nodes may have none', () => {
        const spread = ({ pod }: { pod: Manifest['spec'] }): string[][] =>
            pod.topologySpreadConstraints.map((rule: Record<string, string>) => [
                rule['topologyKey'],
                rule['whenUnsatisfiable'],
                // A drained node is no empty one: its pods find a place on the others.
                rule['nodeTaintsPolicy'],
            ]);
        for (const found of roles('--set', 'topologySpread.whenUnsatisfiable=DoNotSchedule')) {
            assert.deepEqual(spread(found), [
                ['kubernetes.io/hostname', 'DoNotSchedule', 'Honor'],
                ['topology.kubernetes.io/zone', 'ScheduleAnyway', 'Honor'],
            ]);
        }
    });
});

describe('settings in the values', () => {
    // OPS_HOST stays the default: Kubernetes probes the address of the pod.
    const CHARTS_OWN =
        /^(NODE_ENV|HOST|PORT|OPS_HOST|OPS_PORT|GRPC_PORT|GRPC_TLS_MUTUAL|EXIT_WITH_PARENT|LOG_FILE|.+_ADDRESS|DATABASE_URL_.+)$/;

    it('are the settings of the program, except for secrets and those that the chart sets', () => {
        const allowed: string[] = schema.definitions.settings.propertyNames.enum;
        const expected = settingNames.filter(
            // RATE_WINDOW_SECONDS is always 60 in production.
            (name) => !secretNames.includes(name) && !CHARTS_OWN.test(name) && name !== 'RATE_WINDOW_SECONDS',
        );
        assert.deepEqual(allowed.toSorted(), expected.toSorted());
    });

    it('are refused if they are secrets, set by the chart or misspelt', () => {
        for (const path of ['settings', 'defaults.settings', 'roles.did.settings']) {
            for (const name of ['INTERNAL_SECRET', 'PORT', 'KEY_ENVIROMENT']) {
                assert.throws(
                    () => pods('--set-string', `${path}.${name}=9999`),
                    /propert|must be one of/i,
                    `${path}.${name}`,
                );
            }
            pods('--set-string', `${path}.KEY_BRAND=acme`);
        }
    });
});

describe('numbers in the values', () => {
    it('are refused if Kubernetes would refuse the objects made of them', () => {
        assert.throws(() => pods('--set', 'drainSeconds=0'), /drainSeconds/);
        assert.throws(
            () => pods('--set', 'roles.did.autoscaling.minReplicas=9'),
            /autoscaling of did: minReplicas must not be above maxReplicas/,
        );
    });
});

describe('the bundled PostgreSQL', () => {
    it('gives the service a role that is not a superuser, and no pod of the service the superuser’s password', () => {
        const manifests = render(...VALUE_SETS.try);
        const find = (kind: string, suffix: string): Manifest =>
            manifests.find(({ kind: of, metadata: { name } }) => of === kind && name.endsWith(suffix)) as Manifest; // used below
        const [container] = podOf(find('StatefulSet', '-postgres')).containers;
        const env: Array<{ name: string; value?: string; valueFrom?: { secretKeyRef: { key: string } } }> =
            container.env;
        const keyOf = (wanted: string) => env.find(({ name }) => name === wanted)?.valueFrom?.secretKeyRef.key;
        assert.equal(env.find(({ name }) => name === 'POSTGRES_USER')?.value, 'postgres');
        assert.equal(keyOf('POSTGRES_PASSWORD'), 'database-admin-password');
        assert.equal(keyOf('CREDENTIALS_PASSWORD'), 'database-password');
        const made = find('ConfigMap', '-postgres').data ?? {};
        assert.deepEqual(made, { 'create-role.sql': readFileSync('deploy/postgres/create-role.sql', 'utf8') });
        assert.ok(
            container.volumeMounts.some(
                ({ mountPath }: { mountPath: string }) => mountPath === '/docker-entrypoint-initdb.d',
            ),
        );
        const deployments = JSON.stringify(manifests.filter(({ kind }) => kind === 'Deployment' || kind === 'Job'));
        assert.doesNotMatch(deployments, /database-admin-password/);
    });
});
