import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, matchesGlob, relative, resolve } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { DEVELOPMENT_PACKAGES, imagePackages } from '../../../deploy/image-packages.ts';
import { pickPort } from '../../../deploy/local/ports.ts';
import manifest from '../../../package.json' with { type: 'json' };
import { redisUrl, testDatabase } from '../../support/harness.ts';

const dockerfile = readFileSync('deploy/Dockerfile', 'utf8');

/** Paths that the Dockerfile copies from the repository into the final image. */
const COPIED = Array.from(dockerfile.matchAll(/^COPY (?!--from|package.json)(.+) \S+$/gm)).flatMap(([, paths = '']) =>
    paths.split(' '),
);

/** Paths that .dockerignore does not exclude. */
const LET_THROUGH = Array.from(readFileSync('.dockerignore', 'utf8').matchAll(/^!(.+)$/gm), ([, path = '']) =>
    globSync(path),
).flat();

test('the files in the image are enough to start all roles', async (t) => {
    const image = mkdtempSync(join(tmpdir(), 'image-'));
    t.after(() => rmSync(image, { recursive: true }));
    const within = (path: string, folders: string[]) => folders.some((folder) => `${path}/`.startsWith(`${folder}/`));
    const files = LET_THROUGH.filter((path) => within(path, COPIED));
    for (const path of files) cpSync(path, join(image, path), { recursive: true });
    for (const path of imagePackages().keys()) {
        const isNested = path.lastIndexOf('node_modules/') > 0; // inside a package that is linked as a whole
        if (isNested || !existsSync(path)) continue; // a missing package is for another platform
        mkdirSync(dirname(join(image, path)), { recursive: true });
        symlinkSync(resolve(path), join(image, path));
    }

    const opsPort = await pickPort();
    // Otherwise Node would resolve the imports of a linked package from the target of its link.
    const service = spawn(process.execPath, ['--preserve-symlinks', 'main.ts', 'all'], {
        cwd: image,
        stdio: ['ignore', 'ignore', 'inherit'],
        env: await settings(opsPort),
    });
    t.after(() => service.kill('SIGKILL'));
    await ready(`http://127.0.0.1:${opsPort}/readyz`, service);
    service.kill('SIGTERM');
    assert.deepEqual(await once(service, 'exit'), [0, null]);
});

test('the unit of systemd runs the program as the image does', () => {
    const unit = readFileSync('deploy/systemd/credential-service@.service', 'utf8');
    const [, flags = ''] = /^ENTRYPOINT \["node", (.+)\]$/m.exec(dockerfile) ?? [];
    assert.match(unit, new RegExp(`^ExecStart=\\S+/node ${flags.replaceAll(/[",]/g, '')} %i$`, 'm'));
    const [, allocation = ''] = /^ENV (MALLOC_.+)$/m.exec(dockerfile) ?? [];
    assert.ok(unit.includes(`Environment=NODE_ENV=production ${allocation}\n`));
});

test('the image keeps the optional dependencies, but not those for development machines', () => {
    const [, flags = '', removed = ''] = /npm ci (.+) \\\n {4}&& rm -r (.+) \\\n/.exec(dockerfile) ?? [];
    assert.match(flags, /--omit=dev/);
    assert.doesNotMatch(flags, /--omit=optional/);
    const patterns = removed.split(' ').filter((path) => path !== 'node_modules/.bin');
    const isRemoved = (name: string) =>
        patterns.some((pattern) => matchesGlob(`node_modules/${name}/package.json`, `${pattern}/**`));
    assert.deepEqual(
        DEVELOPMENT_PACKAGES.filter((name) => !isRemoved(name)),
        [],
    );
    const others = [...imagePackages().keys()].map((path) => path.replace('node_modules/', ''));
    assert.ok(others.includes('@aws-sdk/client-kms'));
    assert.deepEqual(others.filter(isRemoved), []);
});

test('the program imports no development dependency', () => {
    const imported = new Set<string>();
    const seen = new Set<string>();
    /** Packages that a file imports only when it needs them are optional. */
    const visit = (file: string): void => {
        if (seen.has(file)) return;
        seen.add(file);
        for (const [, target = ''] of readFileSync(file, 'utf8').matchAll(
            /(?:^(?:import|export) (?!type )[^;]*?from |\bawait import\((?='\.))'([^']+)'/gms,
        )) {
            if (target.startsWith('.')) visit(relative('', resolve(dirname(file), target)));
            else if (!target.startsWith('node:')) imported.add(packageOf(target));
        }
    };
    visit('main.ts');
    assert.ok(seen.size > 50 && imported.size > 10, 'the walk found too few files and packages');
    const production = Object.keys(manifest.dependencies);
    assert.deepEqual(
        [...imported].filter((name) => !production.includes(name)),
        [],
    );
});

function packageOf(specifier: string): string {
    return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

async function settings(opsPort: number): Promise<Record<string, string>> {
    const { url } = await testDatabase();
    return {
        PORT: '0',
        OPS_PORT: String(opsPort),
        DATABASE_URL: url,
        REDIS_URL: redisUrl,
        INTERNAL_SECRET: 'a secret of this test',
        SERVICE_TOKEN: 'a token of this test',
        KEK: randomBytes(32).toString('base64'),
        IDEMPOTENCY_PEPPER: 'the pepper of this test',
        JWT_KEYS: generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    };
}

async function ready(url: string, service: ChildProcess): Promise<void> {
    for (;;) {
        assert.equal(service.exitCode, null, 'the program ended');
        if (
            await fetch(url).then(
                ({ ok }) => ok,
                () => false,
            )
        )
            return;
        await delay(50);
    }
}
