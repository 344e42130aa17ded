import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ROLES } from '../../../main.ts';
import { SERVICE_ROLES } from '../../../proto/services.ts';
import { ROLE_TABLE, SERVICE_CALLS } from '../../../tools/reference/role-table.ts';
import { assertEntries } from '../../contract/entries.ts';
import { CHART_SERVICES, type Manifest, render, VALUE_SETS } from './helm.ts';

type Labels = Record<string, string>;
interface Rule {
    ports: Array<{ port: number | string }>;
    from?: Peer[];
    to?: Peer[];
}
interface Peer {
    podSelector?: { matchLabels?: Labels };
    namespaceSelector?: object;
}

const STORES = [
    ...[...SERVICE_ROLES, 'migrate'].map((role) => `${role} → postgres`),
    ...ROLES.map((role) => `${role} → redis`),
];

test('the network policies let each pod of the release call the pods that it needs, and no others', () => {
    const allowed = flows(render(...VALUE_SETS.try, '--set-json', 'networkPolicy.gatewayFrom=[]'));
    const calls = [...SERVICE_ROLES.map((role) => `gateway → ${role}`), ...SERVICE_CALLS, 'test → gateway'];
    assertEntries(allowed, [...calls, ...STORES], `${CHART_SERVICES} (${ROLE_TABLE} has the calls)`);
});

test('the network policies let a role send traces only if its settings name a collector', () => {
    const senders = (...settings: string[]) =>
        policies(render(...VALUE_SETS.default, ...settings))
            .filter(({ spec }) =>
                (spec.egress as Rule[] | undefined)?.some(({ ports }) => ports.some(({ port }) => port === 4318)),
            )
            .map(({ spec }) => nameOf(spec.podSelector.matchLabels) ?? '');
    assert.deepEqual(senders(), []);
    for (const values of ['settings', 'defaults.settings']) {
        const found = senders('--set', `${values}.OTLP_ENDPOINT=http://collector:4318`);
        assertEntries(found, ROLES, CHART_SERVICES);
    }
    assert.deepEqual(senders('--set', 'roles.did.settings.OTLP_ENDPOINT=http://collector:4318'), ['did']);
});

test('the values for production open no port to every address', () => {
    const all = ['--set', 'roles.signing.settings.KEK_PROVIDER=vault:transit/kek'];
    const rules = policies(render(...VALUE_SETS.production, ...all)).flatMap(({ spec }) => [
        ...((spec.egress as Rule[] | undefined) ?? []).map(({ ports, to }) => ({ ports, peers: to })),
        ...((spec.ingress as Rule[] | undefined) ?? []).map(({ ports, from }) => ({ ports, peers: from })),
    ]);
    assert.ok(rules.some(({ ports }) => ports.some(({ port }) => port === 8200)));
    assert.deepEqual(
        rules.filter(({ peers }) => !peers?.length),
        [],
    );
});

test('the network policies let only signing connect to the provider of the key-encryption key, if there is one', () => {
    const connecting = (...settings: string[]) =>
        policies(render(...VALUE_SETS.default, ...settings))
            .filter(({ spec }) =>
                (spec.egress as Rule[] | undefined)?.some(({ ports }) => ports.some(({ port }) => port === 8200)),
            )
            .map(({ spec }) => nameOf(spec.podSelector.matchLabels));
    assert.deepEqual(connecting(), []);
    for (const values of ['settings', 'roles.signing.settings'])
        assert.deepEqual(connecting('--set', `${values}.KEK_PROVIDER=vault:transit/kek`), ['signing']);
});

test('the network policy of the migrations is created first, then their job, then the rest of the release', () => {
    const manifests = render(...VALUE_SETS.default);
    const hook = ({ metadata: { annotations } }: Manifest) => annotations?.['helm.sh/hook'];
    const weight = ({ metadata: { annotations } }: Manifest) => Number(annotations?.['helm.sh/hook-weight']);
    const job = manifests.find(({ kind }) => kind === 'Job') as Manifest; // asserted below
    const policy = policies(manifests).find(({ metadata }) => metadata.name.endsWith('-migrate')) as Manifest;
    assert.deepEqual([hook(job), hook(policy)], ['pre-install,pre-upgrade', 'pre-install,pre-upgrade']);
    assert.ok(weight(policy) < weight(job));
    assert.deepEqual(
        render(...VALUE_SETS.try).filter((manifest) => hook(manifest)?.startsWith('pre-')),
        [],
    );
});

test('a pod without a network policy of its own can neither send nor receive', () => {
    const [deny] = policies(render(...VALUE_SETS.default)).filter(({ metadata }) => metadata.name.endsWith('-deny'));
    assert.deepEqual(deny?.spec, {
        podSelector: {
            matchLabels: { 'app.kubernetes.io/name': 'credential-service', 'app.kubernetes.io/instance': 'release' },
        },
        policyTypes: ['Ingress', 'Egress'],
    });
});

function policies(manifests: Manifest[]): Manifest[] {
    return manifests.filter(({ kind }) => kind === 'NetworkPolicy');
}

/** Returns each pair of components where the policy of the one lets it send and that of the other lets it receive. */
function flows(manifests: Manifest[]): string[] {
    const pods = new Map(policies(manifests).map(({ spec }) => [nameOf(spec.podSelector.matchLabels), spec]));
    pods.delete(undefined);
    const found: string[] = [];
    for (const [sender, { egress = [], podSelector: from }] of pods) {
        for (const [receiver, { ingress = [], podSelector: to }] of pods) {
            const sends = (egress as Rule[]).some((rule) => rule.to?.some((peer) => covers(peer, to.matchLabels)));
            const receives = (ingress as Rule[]).some((rule) =>
                rule.from?.some((peer) => covers(peer, from.matchLabels)),
            );
            if (sends && receives) found.push(`${sender} → ${receiver}`);
        }
    }
    return found.sort();
}

function nameOf(labels: Labels): string | undefined {
    return labels['app.kubernetes.io/component'];
}

/** Returns whether a peer in a rule selects the pods of this namespace that have these labels. */
function covers({ podSelector, namespaceSelector }: Peer, labels: Labels): boolean {
    if (!podSelector || namespaceSelector) return false;
    return Object.entries(podSelector.matchLabels ?? {}).every(([name, value]) => labels[name] === value);
}
