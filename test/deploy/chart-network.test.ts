import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Manifest, render, VALUE_SETS } from './helm.ts';

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

/** The calls between roles in docs/architecture.md, and the call of `helm test` to the gateways. */
const CALLS = [
    'credentials → did',
    'gateway → credentials',
    'gateway → did',
    'gateway → identity',
    'gateway → keys',
    'gateway → presentations',
    'gateway → usage',
    'gateway → wallet',
    'presentations → credentials',
    'test → gateway',
    'wallet → did',
];
const STORES = [
    ...['credentials', 'did', 'identity', 'keys', 'migrate', 'presentations', 'usage', 'wallet'].map(
        (role) => `${role} → postgres`,
    ),
    ...['credentials', 'did', 'gateway', 'identity', 'keys', 'presentations', 'usage', 'wallet'].map(
        (role) => `${role} → redis`,
    ),
];

test('the network policies let each pod of the release call the pods that it needs, and no others', () => {
    const allowed = flows(render(...VALUE_SETS.try, '--set', 'networkPolicy.gatewayFrom=null'));
    assert.deepEqual(allowed, [...CALLS, ...STORES].sort());
});

test('the network policies let a role send traces only if its settings name a collector', () => {
    const senders = (...settings: string[]) =>
        policies(render(...VALUE_SETS.default, ...settings)).filter(({ spec }) =>
            (spec.egress as Rule[] | undefined)?.some(({ ports }) => ports.some(({ port }) => port === 4318)),
        );
    assert.deepEqual(senders(), []);
    assert.equal(senders('--set', 'settings.OTLP_ENDPOINT=http://collector:4318').length, 8);
    assert.equal(senders('--set', 'defaults.settings.OTLP_ENDPOINT=http://collector:4318').length, 8);
    const [alone, ...others] = senders('--set', 'roles.did.settings.OTLP_ENDPOINT=http://collector:4318');
    assert.match(alone?.metadata.name ?? '', /-did$/);
    assert.deepEqual(others, []);
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
