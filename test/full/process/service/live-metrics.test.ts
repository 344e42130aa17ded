import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createClient } from '../../../../client/src/client.ts';
import { authority } from '../../../support/certificates.ts';
import { startService, type TestService } from '../../../support/service.ts';
import { promtool, rules, skip } from '../../deploy/prometheus.ts';
import { type Prometheus, startPrometheus } from './prometheus.ts';

/** The time within which every expression must have a value, in milliseconds. */
const TIMEOUT_MS = 120_000;

/** The values of Grafana's variables: the whole history, and no namespaces. */
const VARIABLES = { $__rate_interval: '10m', $namespace: '.*' };

interface Dashboard {
    title: string;
    panels: Array<{ title: string; targets?: Array<{ expr: string }> }>;
}

function filledIn(expr: string): string {
    return Object.entries(VARIABLES).reduce((text, [variable, value]) => text.replaceAll(variable, value), expr);
}

/** Every expression of every panel, by its place in the dashboards. */
function panelExpressions(): Map<string, string> {
    const found = new Map<string, string>();
    for (const file of globSync('deploy/grafana/*.json')) {
        const { panels }: Dashboard = JSON.parse(readFileSync(file, 'utf8'));
        for (const { title, targets = [] } of panels)
            for (const { expr } of targets) found.set(`${basename(file)}: ${title}: ${expr}`, filledIn(expr));
    }
    return found;
}

/** The expression of each alert, without its thresholds. */
function alertExpressions(): Map<string, string> {
    const threshold = /\s([<>]|==)\s[\d.]+(\s\*\s[\d.]+)?/g;
    return new Map(
        rules().flatMap(({ alert, expr }) => (alert === undefined ? [] : [[alert, expr.replaceAll(threshold, '')]])),
    );
}

/** Settings for TLS between the processes, because certificates have metrics of their own. */
function overTls(): Record<string, string> {
    const { cert: ca, certify } = authority('ours');
    const { cert, key } = certify('every process');
    return { GRPC_TLS_CERT: cert, GRPC_TLS_KEY: key, GRPC_TLS_CA: ca };
}

/** Calls every endpoint once, and makes calls that a rate limit, the password guard and a key's addresses refuse. */
async function everythingOnce({ env }: TestService): Promise<void> {
    Object.assign(process.env, env); // the end-to-end helpers find the service by these
    const { examples } = await import('../../../e2e/support/examples.ts');
    const { newAccount, newKey, newWallet } = await import('../../../e2e/support/world.ts');
    const baseUrl = env['E2E_URLS']?.split(',')[1] as string; // there are two
    const client = createClient({ base_url: baseUrl, internal_secret: env['E2E_INTERNAL_SECRET'], tries: 1 });
    for (const example of Object.values(examples)) {
        const { token, internal, run } = await example();
        await run(internal ? client.as({ token }) : createClient({ base_url: baseUrl, token, tries: 1 }));
    }
    const account = await newAccount();
    const wrong = { password: 'not the right one' };
    await assert.rejects(client.internal.auth.login({ email: account.email, ...wrong }), { status: 401 });
    const { api_key: token } = await newKey(account, 'free');
    const { wallet_id } = await newWallet(token);
    await assert.rejects(client.as({ token }).wallets.open({ wallet_id, ...wrong }), { status: 401 });
    const resolving = Array.from({ length: 10 }, () => client.as({ token }).did.create());
    const limited = (await Promise.allSettled(resolving)).filter(({ status }) => status === 'rejected');
    assert.ok(limited.length > 0);
    const restricted = { name: 'elsewhere', allowed_addresses: ['192.0.2.0/24'] };
    const { api_key: elsewhere } = await client.as({ token: account.token }).keys.generate(restricted);
    await assert.rejects(client.as({ token: elsewhere }).did.create(), { status: 403 });
}

/** The shell pipeline that the runbook of an alert applies to the output of `kubectl logs`. */
function logPipeline(alert: string): string {
    const pages = readFileSync('docs/runbooks.md', 'utf8').split(/^### /m);
    const page = pages.find((text) => text.startsWith(`${alert}\n`));
    const [, pipeline] = /^kubectl logs [^|]*\|\n([^`]*)```$/m.exec(page ?? '') ?? [];
    assert.ok(pipeline, alert);
    return pipeline;
}

describe('a Prometheus that scrapes every process', { skip }, () => {
    const logDir = mkdtempSync(join(tmpdir(), 'live-metrics-'));
    const closing = new AsyncDisposableStack();
    let service: TestService;
    let prometheus: Prometheus;

    before(async () => {
        if (skip) return;
        const setting = (name: string) => process.env[`TEST_${name}`] as string; // test/run.ts sets them
        service = await startService({
            transport: 'grpc',
            adminUrl: setting('ADMIN_URL'),
            databaseUrl: setting('DATABASE_URL'),
            redisUrl: setting('REDIS_URL'),
            logDir,
            settings: overTls(),
        });
        closing.defer(() => service.stop());
        prometheus = await startPrometheus(service.ops);
        closing.defer(() => prometheus.stop());
    });
    after(async () => {
        await closing.disposeAsync();
        rmSync(logDir, { recursive: true, force: true });
    });

    it('has a number for every panel and every alert', async () => {
        const expressions = new Map([...panelExpressions(), ...alertExpressions()]);
        assert.ok(expressions.size > 150);
        const giveUp = performance.now() + TIMEOUT_MS;
        for (;;) {
            await everythingOnce(service);
            for (const [where, expr] of expressions) {
                const values = await prometheus.query(expr);
                if (values.some(({ value: [, text] }) => text !== 'NaN')) expressions.delete(where);
            }
            if (expressions.size === 0) break;
            assert.ok(performance.now() < giveUp, `without a value:\n${[...expressions.keys()].join('\n')}`);
        }
        assert.deepEqual(
            (await prometheus.query('up')).map(({ value: [, up] }) => up),
            service.ops.map(() => '1'),
        );
        const unwell = (await prometheus.rules()).filter(({ health }) => health !== 'ok');
        assert.deepEqual(unwell, []);
    });

    it('shows crypto threads only in the roles that use them', async () => {
        const rolesWith = async (pool: string) =>
            (await prometheus.query(`crypto_pool_threads{pool="${pool}"} > 0`))
                .map(({ metric }) => metric['role'])
                .sort();
        assert.deepEqual(await rolesWith('passwords'), ['identity', 'wallet']);
        assert.deepEqual(await rolesWith('signatures'), ['credentials', 'did', 'presentations', 'signing', 'wallet']);
    });

    it('is supplemented by log queries of the runbooks, which find the source of guesses and of refused keys', () => {
        const input = globSync(join(logDir, 'grpc-gateway*.log')).map((file) => readFileSync(file, 'utf8'));
        const found = (alert: string) =>
            execFileSync('sh', ['-c', logPipeline(alert)], { encoding: 'utf8', input: input.join('') });
        assert.match(found('PasswordGuessing'), /^ +[1-9]\d* "address":"127\.0\.0\.1"$/m);
        assert.match(found('WalletGuessing'), /^ +[1-9]\d* "user_id":"[^"]+"$/m);
        assert.match(found('KeysUsedElsewhere'), /^ +[1-9]\d* "key_id":"[^"]+"$/m);
    });

    it('gets metrics from every role that pass the checks of promtool', async () => {
        for (const { role, target } of service.ops) {
            const text = await (await fetch(`http://${target}/metrics`)).text();
            assert.match(text, /process_serving 1/, role);
            assert.doesNotThrow(() => promtool(['check', 'metrics'], text), role);
        }
    });
});
