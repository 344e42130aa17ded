import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { KNOWN_HOURS } from '../../cli/src/batch/plan.ts';
import { loadConfig } from '../../platform/process/config.ts';
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

    it('the hours for which the command line continues a batch', () => {
        assert.equal(KNOWN_HOURS, hours);
        for (const figure of figures('cli/README.md', /(\d+) hours/g)) assert.equal(Number(figure), KNOWN_HOURS);
    });
});
