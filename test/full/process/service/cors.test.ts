import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { startService } from '../../../support/service.ts';

const logDir = mkdtempSync(join(tmpdir(), 'cors-'));
const service = await startService({
    transport: 'local',
    gateways: 1,
    // npm test sets all three
    adminUrl: process.env['TEST_ADMIN_URL'] as string,
    databaseUrl: process.env['TEST_DATABASE_URL'] as string,
    redisUrl: process.env['TEST_REDIS_URL'] as string,
    logDir,
    settings: { CORS_ORIGINS: 'https://app.example, https://admin.example:8443' },
});
after(async () => {
    await service.stop();
    rmSync(logDir, { recursive: true });
});
const [base] = (service.env['E2E_URLS'] ?? '').split(',');

function ask(path: string, method: string, headers: Record<string, string>): Promise<Response> {
    return fetch(`${base}${path}`, { method, headers });
}

const PREFLIGHT = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' };

describe('cross-origin access: the origin', () => {
    for (const origin of ['https://app.example', 'https://admin.example:8443']) {
        it(`${origin}, which is allowed, may read every answer and its headers`, async () => {
            for (const [path, status] of [
                ['/internal/health', 200],
                ['/v1/did/x', 401],
                ['/nothing', 404],
            ] as const) {
                const { headers, status: answered } = await ask(path, 'GET', { origin });
                assert.equal(answered, status);
                assert.equal(headers.get('access-control-allow-origin'), origin);
                const exposed = (headers.get('access-control-expose-headers') ?? '').toLowerCase().split(', ');
                for (const name of ['x-ratelimit-remaining', 'ratelimit', 'ratelimit-policy', 'etag', 'link'])
                    assert.ok(exposed.includes(name), `${name} is not among ${exposed}`);
                assert.equal(headers.get('access-control-allow-credentials'), null);
                assert.equal(headers.get('vary'), 'Origin');
            }
        });

        it(`${origin}, which is allowed, is told in the preflight what it may send`, async () => {
            const { headers, status } = await ask('/v1/did', 'OPTIONS', { origin, ...PREFLIGHT });
            assert.equal(status, 200);
            assert.equal(headers.get('access-control-allow-origin'), origin);
            assert.match(headers.get('access-control-allow-methods') ?? '', /\bPOST\b/);
            assert.match(headers.get('access-control-allow-headers') ?? '', /\bAuthorization\b.*\bIf-None-Match\b/);
            assert.equal(headers.get('vary'), 'Origin');
            assert.match(headers.get('x-ratelimit-limit') ?? '', /^\d+$/);
        });
    }

    for (const origin of ['https://evil.example', 'http://app.example', 'https://app.example.evil.example', 'null']) {
        it(`${origin} is allowed nothing`, async () => {
            for (const [method, status] of [
                ['OPTIONS', 405],
                ['POST', 401],
            ] as const) {
                const { headers, status: answered } = await ask('/v1/did', method, { origin, ...PREFLIGHT });
                assert.equal(answered, status);
                assert.equal(headers.get('access-control-allow-origin'), null);
                assert.equal(headers.get('access-control-allow-methods'), null);
                assert.equal(headers.get('vary'), 'Origin');
            }
        });
    }
});
