import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { KNOWN_HOURS } from '../../cli/src/batch/plan.ts';
import { BATCH_TIMEOUT_MS } from '../../gateway/batch-answer.ts';
import { loadConfig } from '../../platform/process/config.ts';
import { TTL_SECONDS } from '../../proto/limits.ts';
import { RATE_LIMITS, type Tier } from '../../proto/tiers.ts';

/** The figures that follow `form` on a page. There is at least one. */
function figures(page: string, form: RegExp): string[] {
    const found = Array.from(readFileSync(page, 'utf8').matchAll(form), ([, figure = '']) => figure);
    assert.ok(found.length > 0, `${page} has no ${form}`);
    return found;
}

/** Figures that pages repeat because a reader or an example needs them there. All others are links to the references. */
describe('a figure that a page repeats is that of the code:', () => {
    const hours = loadConfig({}).IDEMPOTENCY_HOURS;

    it('the rate limit in the answers of the guides', () => {
        const limits = figures('docs/guides/batches.md', /Limit of ([\d,]+) requests per minute/g);
        for (const limit of limits) assert.equal(limit, RATE_LIMITS.free.toLocaleString('en-US'));
        const checks = figures('docs/guides/api-keys.md', /("tier":"\w+","scopes":\[[^\]]*\],"limit":\d+)/g);
        for (const check of checks) {
            const { tier, limit } = JSON.parse(`{${check}}`) as { tier: Tier; limit: number };
            assert.equal(limit, RATE_LIMITS[tier]);
        }
    });

    it('the hours for which a call can be repeated', () => {
        const said = figures('docs/guides/idempotency.md', /(\d+) hours \(`IDEMPOTENCY_HOURS`\)/g);
        for (const figure of said) assert.equal(Number(figure), hours);
    });

    it('the time limit of a batch', () => {
        const [seconds] = figures('docs/guides/batches.md', /A batch has (\d+) s\./g);
        assert.equal(Number(seconds) * 1_000, BATCH_TIMEOUT_MS);
    });

    it('how late a status list may show a revocation', () => {
        const page = 'docs/guides/status-lists.md';
        const [late] = figures(page, /fetched (\d+) s after a revocation/g);
        assert.equal(Number(late), loadConfig({}).STATUS_LIST_SECONDS);
        const [kept] = figures(page, /`max-age`, are (\d+) s/g);
        assert.equal(Number(kept), TTL_SECONDS);
    });

    it('the hours for which the command line continues a batch', () => {
        assert.equal(KNOWN_HOURS, hours);
        for (const figure of figures('cli/README.md', /(\d+) hours/g)) assert.equal(Number(figure), KNOWN_HOURS);
    });
});
