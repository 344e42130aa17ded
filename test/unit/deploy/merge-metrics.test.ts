import assert from 'node:assert/strict';
import { it } from 'node:test';
import { mergeMetrics } from '../../../deploy/local/replicas/merge-metrics.ts';

const REQUESTS = '# HELP requests_total Requests.\n# TYPE requests_total counter\n';
const UP = '# HELP up Whether it runs.\n# TYPE up gauge\n';

it('merges the metrics of processes by family, and labels each sample with its process', () => {
    const merged = mergeMetrics([
        {
            process: 'a',
            text: `${REQUESTS}requests_total{route="/",note="{ b"} 1\nrequests_total{route="x"} 2\n\n${UP}up 1\n`,
        },
        { process: 'b', text: `${UP}up 0\n\n${REQUESTS}requests_total{route="/"} 1e3\n` },
        { process: 'c', text: '' },
    ]);
    assert.equal(
        merged,
        `${REQUESTS}requests_total{process="a",route="/",note="{ b"} 1\nrequests_total{process="a",route="x"} 2\n` +
            `requests_total{process="b",route="/"} 1e3\n\n${UP}up{process="a"} 1\nup{process="b"} 0\n`,
    );
});
