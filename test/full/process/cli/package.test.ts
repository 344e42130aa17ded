import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { VERSION } from '../../../../cli/src/version.ts';
import { credentialToken, newSigner } from '../../../unit/verify/signed-lists.ts';
import { folder } from './cred.ts';

const run = promisify(execFile);

/** Packs a package, as publishing it does. Returns the path of the archive. */
async function pack(path: string, ...options: string[]): Promise<string> {
    const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', folder, ...options], { cwd: path });
    return join(folder, stdout.trim());
}

const installed = join(folder, 'installed');
mkdirSync(installed);
writeFileSync(join(installed, 'package.json'), '{"private": true}');
after(() => rmSync('cli/dist', { recursive: true, force: true }));
const archives = [await pack('cli')];
// From here, so that the test needs no registry.
for (const name of ['@noble/curves', '@noble/hashes', 'csv-parse', 'qr']) {
    archives.push(await pack(`node_modules/${name}`, '--ignore-scripts'));
}
await run('npm', ['install', '--offline', '--no-audit', '--no-fund', ...archives], { cwd: installed });
const own = join(installed, 'node_modules/credential-service-cli');
const program = join(installed, 'node_modules/.bin/cred');

const token = join(folder, 'token.txt');
writeFileSync(token, credentialToken(newSigner()));

/** Every Node that is in the PATH. The package supports older ones than the service. */
const nodes = [...new Set((process.env['PATH'] ?? '').split(':').map((path) => join(path, 'node')))]
    .filter((path) => existsSync(path))
    .map((path) => realpathSync(path));

describe('the package that is built from the command line', () => {
    it('contains its program, the licence and the page, and needs three packages', () => {
        const manifest = JSON.parse(readFileSync(join(own, 'package.json'), 'utf8'));
        assert.deepEqual(Object.keys(manifest.dependencies), ['@noble/curves', 'csv-parse', 'qr']);
        assert.equal(manifest.version, VERSION);
        const files = globSync('**/*.*', { cwd: own }).concat('LICENSE');
        const other = files.filter((name) => !/^dist\/(cli|client|verify|tokens|platform|proto)\/.*\.js$/.test(name));
        assert.deepEqual(other.sort(), ['LICENSE', 'README.md', 'package.json']);
    });

    it('imports only its own files, Node, and the packages that it needs', () => {
        const files = globSync('dist/**/*.js', { cwd: own });
        assert.ok(files.length > 50);
        for (const file of files) {
            const source = readFileSync(join(own, file), 'utf8');
            for (const [, name = ''] of source.matchAll(/^(?:import|export)\b[^'"]*?\bfrom ['"]([^'"]+)['"]/gm)) {
                const isNode = name.startsWith('node:') && builtinModules.includes(name.slice(5));
                assert.ok(
                    isNode || /^\.\.?\/.*\.js$|^@noble\/curves\/|^(csv-parse|qr)$/.test(name),
                    `${file}: ${name}`,
                );
            }
        }
    });

    for (const node of nodes) {
        it(`runs in ${node}`, async () => {
            const cred = (...args: string[]) => run(node, [program, ...args], { env: {} });
            assert.match((await cred('--help')).stdout, /^cred: the command line of the credential service\n/);
            assert.equal((await cred('--version')).stdout, `${VERSION}\n`);
            const { stdout } = await cred('verify', `@${token}`, '--offline', '--json');
            assert.equal(JSON.parse(stdout).claims.role, 'engineer');
            const csv = join(folder, 'bad.csv');
            writeFileSync(csv, 'subject_did\nx\n');
            const refused = await cred('batch', 'issue', '--from', csv, '--issuer', 'x').catch((error) => error);
            assert.deepEqual(
                [refused.code, refused.stderr],
                [2, `cred: Line 2 of ${csv}: there is no column credential_type.\n`],
            );
        });
    }

    it('runs as a program of its own', async () => {
        const { stdout } = await run(program, ['--version']);
        assert.equal(stdout, `${VERSION}\n`);
    });
});
