import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { ConfigError, loadConfig, variableNames } from '../../../../platform/process/config.ts';
import { refuseUnknownMethods } from '../../../../platform/process/known-methods.ts';
import { misspeltSettings } from '../../../../platform/process/unknown-settings.ts';
import { methodPaths } from '../../../../platform/rpc/definition.ts';
import { SERVICE_DEFINITIONS, SERVICE_ROLES } from '../../../../proto/services.ts';

const refused = (env: Record<string, string>, message: RegExp): void => {
    assert.throws(
        () => loadConfig(env),
        (error) => {
            assert.ok(error instanceof ConfigError);
            assert.match(error.message, message);
            assert.doesNotMatch(error.message, /hush/);
            return true;
        },
    );
};

describe('CORS_ORIGINS', () => {
    it('are the origins that browsers send', () => {
        const { CORS_ORIGINS } = loadConfig({
            CORS_ORIGINS: 'https://a.example, http://localhost:3000,https://[::1]:8443,',
        });
        assert.deepEqual(CORS_ORIGINS, ['https://a.example', 'http://localhost:3000', 'https://[::1]:8443']);
        assert.deepEqual(loadConfig({}).CORS_ORIGINS, []);
    });

    for (const origin of [
        'hush.example',
        '*',
        'null',
        'https://hush.example/',
        'https://hush.example/app',
        'https://Hush.example',
        'HTTPS://hush.example',
        'https://hush.example:443',
        'https://*.hush.example',
        'https://me@hush.example',
        'file:///hush',
        'https://a.example hush',
    ]) {
        it(`refuse ${origin}, which would never be equal to one`, () => {
            refused({ CORS_ORIGINS: `https://a.example,${origin}` }, /CORS_ORIGINS: must be origins as browsers send/);
        });
    }
});

describe('REDIS_URL', () => {
    it('names a server, and a database by its number', () => {
        for (const url of [
            'redis://:p%23@redis.example:6379/0',
            'rediss://user:secret@redis.example/15',
            'redis://redis.example',
            'redis://[::1]:6379/',
            'redis-cluster://:secret@a.example:6379,redis-cluster://b.example:6379',
            'rediss-sentinel://:secret@a.example:26379,b.example/main?db=1&sentinel_password=x',
        ])
            assert.equal(loadConfig({ REDIS_URL: url }).REDIS_URL, url);
    });

    for (const [url, message] of [
        ['redis://hush.example/abc', /number of a database/],
        ['redis://hush.example/-1', /number of a database/],
        ['redis://hush.example/0/1', /number of a database/],
        ['redis-cluster://hush.example/1', /number of a database/],
        ['redis://hush.example?ssl=true', /must have no parameters/],
        ['redis-cluster://hush.example?db=1', /must have no parameters/],
        ['redis-sentinel://hush.example/main?tls=true', /must be redis:/],
        ['redis-sentinel://hush.example/main?db=-1', /must be redis:/],
        ['redis://', /must name a host/],
        ['redis:///0', /must name a host/],
        ['redis-cluster://a.example,redis-cluster://', /must name a host/],
        ['redis-cluster://a.example,hush.example', /must be redis:/],
        ['redis://:12@hush.example#34', /must have no fragment/],
        ['redis://:hush%zz@a.example', /wrong %-escape/],
        ['https://hush.example', /must be redis:/],
    ] as const) {
        it(`is refused as ${url}`, () => refused({ REDIS_URL: url }, message));
    }
});

describe('a secret', () => {
    const dir = mkdtempSync(join(tmpdir(), 'settings-'));
    after(() => rmSync(dir, { recursive: true }));
    const file = join(dir, 'secret');
    writeFileSync(file, 'hush from the file\n');

    it('is refused if it is given in two ways, even if both are the same', () => {
        for (const secret of ['hush', 'hush from the file'])
            refused({ INTERNAL_SECRET: secret, INTERNAL_SECRET_FILE: file }, /INTERNAL_SECRET_FILE are both set/);
    });

    it('may have an empty other way', () => {
        const fromFile = loadConfig({ INTERNAL_SECRET: '', INTERNAL_SECRET_FILE: file });
        assert.equal(fromFile.INTERNAL_SECRET, 'hush from the file');
        assert.equal(loadConfig({ INTERNAL_SECRET: 'hush', INTERNAL_SECRET_FILE: '' }).INTERNAL_SECRET, 'hush');
    });
});

describe('SERVICE_CALLERS', () => {
    const paths = Object.values(SERVICE_DEFINITIONS).flatMap(methodPaths);
    const caller = (method: string) => ({
        billing: { token_sha256: '0'.repeat(64), methods: [method], trusted: false, max_in_flight: 1 },
    });

    it('may name every method, and all methods of a service', () => {
        for (const path of [...paths, '/did.v1.DidService/*']) refuseUnknownMethods(caller(path), paths);
    });

    for (const method of ['/did.v1.DidService/resolve', '/did.v1.Did/*', '/did.v2.DidService/Resolve']) {
        it(`may not name ${method}, which no service has`, () => {
            assert.throws(() => refuseUnknownMethods(caller(method), paths), ConfigError);
        });
    }
});

describe('a variable that is no setting', () => {
    const find = (...names: string[]) =>
        misspeltSettings(Object.fromEntries(names.map((name) => [name, 'hush'])), variableNames(SERVICE_ROLES));

    it('is reported if it looks like a misspelt setting', () => {
        assert.deepEqual(find('DATABSE_POOL', 'INTERNAL_SECRETS_FILE', 'WALLET_ADRESS', 'CORS_ORIGIN'), {
            DATABSE_POOL: 'DATABASE_POOL',
            INTERNAL_SECRETS_FILE: 'INTERNAL_SECRET_FILE',
            WALLET_ADRESS: 'WALLET_ADDRESS',
            CORS_ORIGIN: 'CORS_ORIGINS',
        });
    });

    it('is not reported if it is a setting, or another thing', () => {
        const others = [
            'PATH',
            'HOME',
            'HOSTNAME',
            'TERM',
            'KEYS_PORT',
            'REDIS_SERVICE_HOST',
            'DATA_DIR',
            'PGPASSWORD',
        ];
        const launchers = ['PROCESSES', 'READY_SECONDS', 'NODE_OPTIONS', 'NODE_EXTRA_CA_CERTS', 'AWS_REGION'];
        assert.deepEqual(find(...variableNames(SERVICE_ROLES), ...others, ...launchers), {});
    });
});
