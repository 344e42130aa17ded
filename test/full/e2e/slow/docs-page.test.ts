import assert from 'node:assert/strict';
import { accessSync, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Browser, chromium, type Page } from 'playwright-core';
import { GATEWAYS } from '../../../e2e/support/client.ts';
import { operations } from '../../../support/openapi.ts';

const given = process.env['CHROMIUM_PATH'];
if (given) accessSync(given); // throws instead of skipping tests if the file is missing
const BROWSER = given || '/usr/bin/chromium';
const skip = existsSync(BROWSER) ? false : `no browser: neither CHROMIUM_PATH nor ${BROWSER}`;
const [ORIGIN] = GATEWAYS;
const DOCS = `${ORIGIN}/docs`;

describe('the reference page', () => {
    let browser: Browser;
    let page: Page;
    const requested: string[] = [];
    /** What the browser reports: errors of scripts, and what the Content-Security-Policy has stopped. */
    const complaints: string[] = [];

    const operation = (id: string) => page.locator(`[id="${id}"]`);
    const shown = () => page.locator('main details:visible').evaluateAll((all) => all.map(({ id }) => id));
    const tooWide = async () => Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'));

    before(async () => {
        if (skip) return;
        browser = await chromium.launch({ executablePath: BROWSER, args: ['--no-sandbox'] }); // tests may run as root
        page = await browser.newPage({
            viewport: { width: 1_360, height: 900 },
            permissions: ['clipboard-read', 'clipboard-write'],
        });
        page.on('request', (request) => requested.push(request.url()));
        page.on('console', (message) => complaints.push(message.text()));
        page.on('pageerror', (error) => complaints.push(error.message));
        await page.goto(DOCS);
    });
    after(async () => {
        await browser?.close();
        assert.deepEqual(complaints, []);
    });

    it('shows every operation folded, with its styles, and loads nothing else', { skip }, async () => {
        for (const { operation: described, path } of operations) {
            const folded = operation(described.operationId);
            assert.equal(await folded.locator('summary .path').innerText(), path);
            assert.equal(await folded.locator('pre').first().isVisible(), false);
        }
        assert.equal(await page.evaluate('getComputedStyle(document.body).display'), 'grid');
        assert.deepEqual(requested, [DOCS]);
        const picture = join(process.env['E2E_LOG_DIR'] ?? '.', 'docs.png');
        await page.screenshot({ path: picture });
        assert.ok(statSync(picture).size > 20_000, 'the screenshot shows an empty page');
    });

    it('begins with authentication and the first key, and copies a sample', { skip }, async () => {
        assert.deepEqual((await page.locator('header h2').allInnerTexts()).slice(0, 2), [
            'Authentication',
            'The first key',
        ]);
        const sample = page.locator('.sample').first();
        await sample.getByRole('button', { name: 'Copy' }).click();
        const copied = String(await page.evaluate('navigator.clipboard.readText()'));
        assert.ok(copied.startsWith(`URL=${ORIGIN}\n`), copied);
        assert.ok(copied.includes('-H "Authorization: Bearer $KEY"'), copied);
    });

    it('opens the operation that a link names, and names the opened one in its address', { skip }, async () => {
        await page.click('nav a[href="#credentials.issue"]');
        const issue = operation('credentials.issue');
        const curl = issue.locator('pre').first();
        await curl.waitFor();
        const { y: top = -1 } = (await issue.boundingBox()) ?? {};
        assert.ok(top >= 0 && top < 100, `${top}`);
        assert.doesNotMatch(await curl.innerText(), /private_key/); // a managed issuer needs none
        await operation('keys.list').locator('summary').click();
        await page.waitForURL(`${DOCS}#keys.list`);
        await page.reload();
        await operation('keys.list').locator('pre').first().waitFor();
    });

    it('finds operations by their names, or else by their texts', { skip }, async () => {
        await page.keyboard.press('/');
        await page.keyboard.type('Revoke credentials batch');
        assert.deepEqual(await shown(), ['credentials.batch.revoke', 'internal.credentials.batch.revoke']);
        assert.equal(await page.locator('nav a[href="#credentials.issue"]').isVisible(), false);
        assert.match(await page.locator('#found').innerText(), /^2 of /);
        await page.fill('#search', 'nonce_valid');
        assert.deepEqual(await shown(), ['presentations.verify', 'internal.presentations.verify']);
        await page.fill('#search', '');
        assert.equal((await shown()).length, operations.length);
    });

    it('fits a narrow screen, where its first sentence comes before its links', { skip }, async () => {
        await page.setViewportSize({ width: 390, height: 800 });
        const addresses = await page.locator('nav a[href^="/docs"]').evaluateAll((all) => all.map((a) => String(a)));
        for (const address of [...new Set(addresses)]) {
            await page.goto(address);
            assert.ok((await tooWide()) <= 0, `${address} is ${await tooWide()} px too wide`);
        }
        await page.goto(`${DOCS}#credentials.issue`);
        await operation('credentials.issue').locator('table').first().waitFor();
        assert.ok((await tooWide()) <= 0);
        const [text, link] = await Promise.all(
            ['header p', 'a:visible'].map((what) => page.locator(what).first().boundingBox()),
        );
        assert.ok(text && link && text.y < link.y);
    });

    it('shows operations without its script, too', { skip }, async () => {
        const plain = await browser.newPage({ javaScriptEnabled: false });
        await plain.goto(DOCS);
        await plain.locator('[id="keys.list"] summary').click();
        assert.ok(await plain.locator('[id="keys.list"] pre').first().isVisible());
        assert.equal(await plain.locator('#search').isVisible(), false);
    });
});
