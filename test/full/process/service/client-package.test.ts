import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { accessSync, cpSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { type Browser, chromium, type Page } from 'playwright-core';
import { createClient } from '../../../../client/src/client.ts';
import { pickPort } from '../../../../deploy/local/ports.ts';
import { startService, type TestService } from '../../../support/service.ts';

const run = promisify(execFile);
const given = process.env['CHROMIUM_PATH'];
if (given) accessSync(given); // fails if the browser of the setting does not exist
const BROWSER = given || '/usr/bin/chromium';
const skip = existsSync(BROWSER) ? false : `no browser: neither CHROMIUM_PATH nor ${BROWSER}`;

const site = mkdtempSync(join(tmpdir(), 'client-'));
after(() => rmSync(site, { recursive: true }));
await run('tsc', ['-p', 'client', '--outDir', join(site, 'dist')]);

describe('the package that is built from the client', () => {
    it('imports nothing but its own files, which have types', () => {
        const files = globSync('dist/**/*.js', { cwd: site });
        assert.ok(files.length > 5);
        for (const file of files) {
            assert.ok(existsSync(join(site, file.replace(/\.js$/, '.d.ts'))), file);
            const sources = readFileSync(join(site, file), 'utf8').matchAll(
                // Statements, and calls of import. A parameter may be called "from", a path may end with "/import".
                /(?:^(?:import|export)\b[^'"=;]*|\bimport\()['"]([^'"]+)['"]/gm,
            );
            for (const [, source = ''] of sources) assert.match(source, /^\.\.?\/.*\.js$/, file);
        }
    });

    it('gives the compiler the types of requests and answers, without the types of Node', async () => {
        const lines = [
            `import { type Client, type KeysListData } from './dist/client.js';`,
            'export async function program(client: Client): Promise<KeysListData> {',
            'await client.keys.generate({ name: "good", tier: null }, { timeout_ms: 1 });',
            'for await (const { total } of client.keys.list.pages({ limit: 1 })) total.toFixed();',
            'await client.credentials.verify({ credential: "no issuer" });', // line 5
            'await client.keys.generate({ name: "x", tier: "gold" });',
            'await client.credentials.byIssuer.pages({ issuer_did: 1 });',
            '(await client.did.create()).private_key.length;',
            'await client.internal.admin.createUsers({ users: [{ email: "no password" }] });',
            'for await (const { name } of client.keys.list.items()) name.trim();', // line 10
            'for await (const { total } of client.keys.list.items()) total;',
            'const { data, response } = await client.me.get().withResponse();',
            'data.email.trim(); response.request_id?.trim(); response.rate_limit?.remaining.toFixed();',
            'response.status.trim();',
            'return client.keys.list(); }',
        ];
        writeFileSync(join(site, 'program.ts'), lines.join('\n'));
        const options = ['--noEmit', '--strict', '--module', 'esnext', '--moduleResolution', 'bundler', '--types', ''];
        const compiled = run('tsc', [...options, '--lib', 'es2022,dom', '--target', 'es2022', 'program.ts'], {
            cwd: site,
        });
        const { stdout } = await compiled.catch((failure: { stdout: string }) => failure);
        const faulty = Array.from(stdout.matchAll(/^program\.ts[(:](\d+)/gm), ([, line]) => Number(line));
        assert.deepEqual(faulty, [5, 6, 7, 8, 9, 11, 14], stdout);
    });

    it('is found by tools that do not know "exports"', () => {
        const { main, types } = JSON.parse(readFileSync('client/package.json', 'utf8'));
        for (const file of [main, types]) assert.ok(existsSync(join(site, file)), file);
    });

    it('runs in Node without changes', async () => {
        const program = `import { createClient } from '${site}/dist/client.js';
            console.log(typeof createClient({ base_url: 'http://127.0.0.1' }).credentials.byIssuer.pages);`;
        const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program]);
        assert.equal(stdout, 'function\n');
    });
});

describe('the example page', () => {
    let service: TestService;
    let browser: Browser;
    let page: Page;
    const complaints: string[] = [];
    const [own, other] = ['127.0.0.1', 'localhost'] as const;
    const server = createServer(({ url = '/' }, response) => {
        const type = url.endsWith('.js') ? 'text/javascript' : 'text/html';
        response.writeHead(existsSync(join(site, url)) ? 200 : 404, { 'Content-Type': type });
        response.end(existsSync(join(site, url)) ? readFileSync(join(site, url)) : '');
    });
    let port: number;

    before(async () => {
        if (skip) return;
        cpSync('client/examples', join(site, 'examples'), { recursive: true }); // beside dist/, as in client/
        port = await pickPort();
        server.listen(port);
        service = await startService({
            transport: 'local',
            gateways: 1,
            // npm test sets all three
            adminUrl: process.env['TEST_ADMIN_URL'] as string,
            databaseUrl: process.env['TEST_DATABASE_URL'] as string,
            redisUrl: process.env['TEST_REDIS_URL'] as string,
            logDir: site,
            settings: { CORS_ORIGINS: `http://${own}:${port}` },
        });
        browser = await chromium.launch({ executablePath: BROWSER, args: ['--no-sandbox'] }); // tests may run as root
        page = await browser.newPage();
        page.on('pageerror', (error) => complaints.push(error.message));
    });
    after(async () => {
        await browser?.close();
        server.close();
        await service?.stop();
    });

    /** Returns what the page at `host` shows after a click on its button, which lists the keys. */
    async function shown(host: string, token: string): Promise<{ keys: string[]; output: string }> {
        await page.goto(`http://${host}:${port}/examples/browser.html`);
        await page.fill('[name=base_url]', service.env['E2E_URLS']?.split(',')[0] ?? '');
        await page.fill('[name=token]', token);
        await page.click('button');
        await page.waitForFunction('document.querySelector("output").textContent !== ""');
        return { keys: await page.locator('li').allTextContents(), output: await page.locator('output').innerText() };
    }

    async function session() {
        const [baseUrl = ''] = service.env['E2E_URLS']?.split(',') ?? [];
        const trusted = createClient({ base_url: baseUrl, internal_secret: service.env['E2E_INTERNAL_SECRET'] });
        const person = { email: `ada-${port}@example.com`, password: 'correct horse battery' };
        await trusted.internal.auth.register(person);
        const { token } = await trusted.internal.auth.login(person);
        for (const name of ['first', 'second']) await trusted.as({ token }).keys.generate({ name });
        return token;
    }

    it('reads a list through the client from an allowed origin, and from no other', { skip }, async () => {
        const token = await session();
        const { keys, output } = await shown(own, token);
        assert.deepEqual(
            keys.map((key) => key.replace(/: cred_test_\w{4}\.{3}\w{4}$/, '')),
            ['second', 'first'],
        );
        assert.equal(output, '596 of 600 calls left');
        assert.match((await shown(own, 'not-a-token')).output, /^401 unauthenticated: The session token /);
        assert.match((await shown(other, token)).output, /^ConnectionError: /);
        assert.deepEqual(complaints, []);
    });
});
