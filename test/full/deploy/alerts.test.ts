import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { endpoints } from '../../support/openapi.ts';
import { promtool, RULES, rules, skip } from './prometheus.ts';

const CASES = globSync('test/full/deploy/alerts/*.yaml');
const RUNBOOKS = 'docs/runbooks.md';
const PARTS = ['Meaning', 'Look', 'Do'];

const alerts = rules().filter(({ alert }) => alert !== undefined);

describe('every alert', () => {
    it('has a severity, a summary, a description and a link to its runbook', () => {
        assert.ok(alerts.length > 15);
        for (const { alert = '', labels, annotations } of alerts) {
            assert.match(labels?.['severity'] ?? '', /^(critical|warning)$/, alert);
            assert.ok(annotations?.['summary'] && annotations['description'], alert);
            assert.equal(annotations['runbook'], `${RUNBOOKS}#${alert.toLowerCase()}`);
        }
    });

    it('has its own section in the runbooks, in the same order', () => {
        const [, ...pages] = readFileSync(RUNBOOKS, 'utf8').split(/^### /m);
        const titles = pages.map((page) => page.split('\n')[0]);
        assert.deepEqual(
            titles,
            alerts.map(({ alert }) => alert),
        );
        for (const page of pages) {
            const parts = Array.from(page.matchAll(/^\*\*(\w+)\.\*\*/gm), ([, part]) => part);
            const [title = '', , text = ''] = page.split('\n');
            const [, other] = /^As `(\w+)`/.exec(text) ?? []; // a section may refer to that of another alert
            if (other === undefined) assert.deepEqual(parts, PARTS, title);
            else assert.ok(titles.includes(other) && parts.length === 0, title);
        }
    });

    it('has a test case in which it fires', () => {
        const cases = CASES.map((file) => readFileSync(file, 'utf8')).join('');
        assert.deepEqual(
            alerts.filter(({ alert }) => !cases.includes(`alertname="${alert}"`)).map(({ alert }) => alert),
            [],
        );
    });

    it('fires in its own test cases and in no others', { skip }, () => {
        promtool(['check', 'rules', '--lint=all', '--lint-fatal', RULES]);
        assert.match(promtool(['test', 'rules', ...CASES]), /SUCCESS/);
    });

    it('can be loaded by the Prometheus of docker-compose.yml', { skip }, () => {
        promtool(['check', 'config', '--syntax-only', 'deploy/compose/prometheus.yaml']);
    });
});

describe('the runbooks', () => {
    const text = readFileSync(RUNBOOKS, 'utf8');

    it('have their commands in well-formed code blocks, without broken lines', () => {
        for (const line of text.split('\n').filter((line) => line.includes('```'))) assert.match(line, /^```(\w+)?$/);
        for (const [block, commands = ''] of text.matchAll(/^```sh\n(.*?)^```$/gms)) {
            assert.doesNotThrow(() => execFileSync('sh', ['-n'], { input: commands.replaceAll(/[<>]/g, '') }), block);
            assert.doesNotMatch(block, /^-/m);
        }
    });

    it('pass --tail when they read logs of several pods, because kubectl otherwise shows ten lines of each', () => {
        const read = text.match(/^kubectl logs -l .*$/gm) ?? [];
        assert.ok(read.length > 3);
        for (const command of read) assert.match(command, / --tail=/);
    });
});

it('every rule aggregates by namespace', () => {
    for (const { alert, record, expr } of rules()) {
        const aggregations = expr.match(/\b(sum|min|max|avg|count|topk|quantile)\b(?: by \([^)]*\))?/g) ?? [];
        for (const by of aggregations) assert.match(by, / by \(namespace\b/, `${alert ?? record}`);
    }
});

describe('a route', () => {
    const ids = endpoints.map(({ id }) => id);

    it('is left out of the latency rules exactly if its endpoint hashes passwords, takes a batch or streams', () => {
        const [leftOut = '', ...others] = rules().flatMap(({ expr }) =>
            Array.from(expr.matchAll(/route!~"([^"]*)"/g), ([, pattern = '']) => pattern),
        );
        assert.deepEqual(others, []);
        const slow = endpoints
            .filter(({ hashesPassword, weight, lines, streams }) => hashesPassword || weight || lines || streams)
            .map(({ id }) => id);
        assert.deepEqual(leftOut.split('|'), slow.sort());
    });

    it('belongs to an endpoint wherever an alert, a runbook or a test case names it', () => {
        for (const file of [RULES, RUNBOOKS, ...CASES]) {
            const named = readFileSync(file, 'utf8').matchAll(/\broute"?(?:=~|[=:])"([^"]*)"/g);
            for (const [, pattern] of named) {
                const route = new RegExp(`^(${pattern})$`);
                assert.ok(
                    ids.some((id) => route.test(id)),
                    `${file}: ${pattern}`,
                );
            }
        }
    });
});
