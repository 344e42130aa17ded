import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import {
    existsSync,
    globSync,
    mkdirSync,
    mkdtempSync,
    readFileSync,
    realpathSync,
    rmSync,
    writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { builtinModules } from 'node:module';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';
import { credentialToken, listToken, newSigner } from '../../../unit/verify/signed-lists.ts';

const run = promisify(execFile);
const BROWSER = process.env['CHROMIUM_PATH'] || '/usr/bin/chromium';
const skip = existsSync(BROWSER) ? false : `no browser: neither CHROMIUM_PATH nor ${BROWSER}`;
const folder = mkdtempSync(join(tmpdir(), 'verify-'));
after(() => rmSync(folder, { recursive: true }));

/** Packs a package, as publishing it does. Returns the path of the archive. */
async function pack(path: string, ...options: string[]): Promise<string> {
    const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', folder, ...options], { cwd: path });
    return join(folder, stdout.trim());
}

const installed = join(folder, 'installed');
mkdirSync(installed);
writeFileSync(join(installed, 'package.json'), '{"private": true, "type": "module"}');
after(() => rmSync('verify/dist', { recursive: true, force: true }));
const archives = [await pack('verify')];
// From here, so that the test needs no registry.
for (const name of ['curves', 'hashes']) archives.push(await pack(`node_modules/@noble/${name}`, '--ignore-scripts'));
await run('npm', ['install', '--offline', '--no-audit', '--no-fund', ...archives], { cwd: installed });
const modules = join(installed, 'node_modules');
const own = join(modules, 'credential-service-verify');

const issuer = newSigner();
const uri = 'https://status.example/1';
const credential = credentialToken(issuer, { status_list: { idx: 1, uri, iss: issuer.did } });
const program = `import { verifyCredential } from 'credential-service-verify';
    const options = { status: ${JSON.stringify(listToken({ signer: issuer, uri }))} };
    const { valid, claims, status } = await verifyCredential(${JSON.stringify(credential)}, options);
    console.log(valid, claims.role, status, (await verifyCredential(undefined)).valid);`;
writeFileSync(join(installed, 'program.js'), program);
const commonJs = join(installed, 'common-js'); // Node looks for packages in the folders above, too
mkdirSync(commonJs);
writeFileSync(join(commonJs, 'package.json'), '{"private": true}');

/** A server on this machine, at an address that a credential names. */
let connections = 0;
const inside = createTcpServer((socket) => socket.destroy(void connections++)).listen(0, '127.0.0.1');
await once(inside, 'listening');
after(() => inside.close());
const insideUri = `https://127.0.0.1:${(inside.address() as AddressInfo).port}/1`;
const fetching = `import { verifyCredential } from 'credential-service-verify';
    const token = ${JSON.stringify(credentialToken(issuer, { status_list: { idx: 1, uri: insideUri, iss: issuer.did } }))};
    for (const fetch of [undefined, globalThis.fetch]) {
        console.log((await verifyCredential(token, { status: 'fetch', fetch })).status);
    }`;
writeFileSync(join(installed, 'fetching.js'), fetching);

/** Every Node that is in the PATH. The package supports older ones than the service. */
const nodes = [...new Set((process.env['PATH'] ?? '').split(':').map((path) => join(path, 'node')))]
    .filter((path) => existsSync(path))
    .map((path) => realpathSync(path));

describe('the package that is built from the offline verifier', () => {
    it('has one dependency, and contains its files, their types, the licence and the page', () => {
        const { dependencies, main, types } = JSON.parse(readFileSync(join(own, 'package.json'), 'utf8'));
        assert.deepEqual(Object.keys(dependencies), ['@noble/curves']);
        for (const file of [main, types]) assert.ok(existsSync(join(own, file)), file); // older settings of TypeScript
        const files = globSync('**/*', { cwd: own, withFileTypes: true }).filter((entry) => entry.isFile());
        const names = files.map(({ parentPath, name }) => join(parentPath, name).slice(own.length + 1));
        const other = names.filter(
            (name) => !/^dist\/(verify\/src|tokens|platform|proto)\/[\w-]+\.(js|d\.ts)$/.test(name),
        );
        assert.deepEqual(other.sort(), ['LICENSE', 'README.md', 'package.json']);
        const scripts = names.filter((name) => name.endsWith('.js'));
        assert.ok(scripts.length > 15);
        for (const script of scripts) assert.ok(names.includes(script.replace(/\.js$/, '.d.ts')), script);
    });

    it('imports only its own files and its dependency, and uses what only Node has only if it is there', () => {
        const files = globSync('{credential-service-verify/dist,@noble}/**/*.js', { cwd: modules });
        for (const file of files) {
            const source = readFileSync(join(modules, file), 'utf8');
            const imports = source.matchAll(
                /^(?:import|export)\b[^'"]*?\bfrom ['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm,
            );
            for (const [, name = ''] of imports) {
                assert.match(name, /^\.\.?\/.*\.js$|^@noble\/(curves|hashes)\//, file);
                assert.ok(!builtinModules.includes(name.replace(/^node:/, '')), `${file} imports ${name}`);
            }
            if (file.startsWith('credential'))
                assert.doesNotMatch(source, /\b(Buffer|process|require)\b\??[.(](?!getBuiltinModule)/, file);
        }
    });

    it('gives the compiler its types, without the types of Node', async () => {
        const lines = [
            `import { type CredentialResult, verifyCredential, verifyPresentation } from 'credential-service-verify';`,
            'export async function program(token: string): Promise<CredentialResult> {',
            `const { credentials = [] } = await verifyPresentation(token, { audience: 'did:web:x', nonce: false });`,
            `for (const { status, as_of } of credentials) if (status === 'revoked') as_of?.slice(0, 10);`,
            `await verifyPresentation(token, { audience: 'did:web:x' });`, // line 5
            `await verifyCredential(token, { status: true });`,
            `(await verifyCredential(token)).claims.role;`,
            `if ((await verifyCredential(token)).status === 'suspended') return program(token);`,
            `return verifyCredential(token, { issuer: 'did:key:z6Mk', status: 'fetch', fetch, now: Date.now() }); }`,
        ];
        writeFileSync(join(installed, 'program.ts'), lines.join('\n'));
        for (const [module, resolution] of [
            ['esnext', 'bundler'],
            ['nodenext', 'nodenext'],
        ] as const) {
            const options = [
                '--noEmit',
                '--strict',
                '--module',
                module,
                '--moduleResolution',
                resolution,
                '--types',
                '',
            ];
            const compiled = run('tsc', [...options, '--lib', 'es2022,dom', '--target', 'es2022', 'program.ts'], {
                cwd: installed,
            });
            const { stdout } = await compiled.catch((failure: { stdout: string }) => failure);
            const faulty = Array.from(stdout.matchAll(/^(\S+)[(:](\d+)/gm), ([, file, line]) => `${file} ${line}`);
            assert.deepEqual(faulty, ['program.ts 5', 'program.ts 6', 'program.ts 7', 'program.ts 8'], stdout);
        }
    });

    for (const node of nodes) {
        it(`verifies a credential with its status in ${node}`, async () => {
            const { stdout } = await run(node, [resolve(installed, 'program.js')]);
            assert.equal(stdout, 'true engineer valid false\n');
            const required = `console.log(typeof require('credential-service-verify').verifyCredential)`;
            assert.equal((await run(node, ['--eval', required], { cwd: commonJs })).stdout, 'function\n');
        });

        it(`fetches no list from an address that is not public, unless it is given a fetch, in ${node}`, async () => {
            const before = connections;
            const { stdout } = await run(node, [resolve(installed, 'fetching.js')]);
            assert.deepEqual([stdout, connections - before], ['unknown\nunknown\n', 1]);
        });
    }

    it('verifies a credential with its status in a browser', { skip }, async () => {
        const imports = {
            'credential-service-verify': '/node_modules/credential-service-verify/dist/verify/src/verify.js',
            '@noble/curves/': '/node_modules/@noble/curves/',
            '@noble/hashes/': '/node_modules/@noble/hashes/',
        };
        const page = `<script type="importmap">${JSON.stringify({ imports })}</script>
            <script type="module">
            const lines = [];
            console.log = (...values) => lines.push(values.join(' '));
            await import('/program.js');
            document.title = lines.join();
            </script>`;
        await using stack = new AsyncDisposableStack();
        const server = createServer(({ url = '/' }, response) => {
            const isFile = existsSync(join(installed, url)) && url.endsWith('.js');
            response.writeHead(200, { 'Content-Type': isFile ? 'text/javascript' : 'text/html' });
            response.end(isFile ? readFileSync(join(installed, url)) : page);
        }).listen(0);
        stack.defer(() => void server.close());
        await once(server, 'listening');
        // Tests may run as root.
        const browser = await chromium.launch({ executablePath: BROWSER, args: ['--no-sandbox'] });
        stack.defer(() => browser.close());
        const tab = await browser.newPage();
        const { port } = server.address() as AddressInfo; // it listens
        await tab.goto(`http://127.0.0.1:${port}/`);
        await tab.waitForFunction('document.title !== ""');
        assert.equal(await tab.title(), 'true engineer valid false');
    });
});
