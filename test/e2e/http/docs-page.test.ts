import assert from 'node:assert/strict';
import { accessSync, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Browser, chromium, type Page } from 'playwright-core';
import { operations } from '../../support/openapi.ts';
import { GATEWAYS } from '../support/client.ts';

const given = process.env['CHROMIUM_PATH'];
if (given) accessSync(given); // throws instead of skipping tests if the file is missing
const BROWSER = given || '/usr/bin/chromium';
const skip = existsSync(BROWSER) ? false : `no browser: neither CHROMIUM_PATH nor ${BROWSER}`;

describe('the reference page', () => {
    let browser: Browser;
    let page: Page;
    const requested: string[] = [];
    const complaints: string[] = [];

    before(async () => {
        if (skip) return;
        browser = await chromium.launch({ executablePath: BROWSER, args: ['--no-sandbox'] }); // tests may run as root
        page = await browser.newPage({ viewport: { width: 1_360, height: 900 } });
        page.on('request', (request) => requested.push(request.url()));
        page.on('console', (message) => complaints.push(message.text()));
        page.on('pageerror', (error) => complaints.push(error.message));
        await page.goto(`${GATEWAYS[0]}/docs`);
    });
    after(() => browser?.close());

    it('shows every operation with its styles, and neither loads from other origins nor logs to the console', {
        skip,
    }, async () => {
        for (const { operation, path } of operations) {
            const shown = page.locator(`[id="${operation.operationId}"]`);
            assert.equal(await shown.locator('summary .path').innerText(), path);
            assert.ok(await shown.locator('pre').first().isVisible());
        }
        const columns = await page.evaluate('getComputedStyle(document.body).display');
        assert.equal(columns, 'grid');
        assert.deepEqual(requested, [`${GATEWAYS[0]}/docs`]);
        assert.deepEqual(complaints, []);
        const picture = join(process.env['E2E_LOG_DIR'] ?? '.', 'docs.png');
        await page.screenshot({ path: picture });
        assert.ok(statSync(picture).size > 20_000, 'the screenshot shows an empty page');
    });

    it('links from its menu to the operations, and fits a narrow screen', { skip }, async () => {
        await page.click('nav a[href="#credentials.issue"]');
        const { y: top = -1 } = (await page.locator('[id="credentials.issue"]').boundingBox()) ?? {};
        assert.ok(top >= 0 && top < 100, `${top}`);
        await page.setViewportSize({ width: 390, height: 800 });
        const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
        assert.ok(Number(overflow) <= 0, `${overflow} px too wide`);
    });
});
