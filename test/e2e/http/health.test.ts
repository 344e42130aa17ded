import assert from 'node:assert/strict';
import { it } from 'node:test';
import { expectError, INTERNAL_SECRET, send } from '../support/client.ts';

it('health is reported to any caller, without envelope, on every gateway', async () => {
    for (const gateway of [0, 1]) {
        const credentials: Array<Record<string, string>> = [
            {},
            { 'X-Internal-Secret': 'wrong' },
            { Authorization: 'Bearer nothing' },
        ];
        for (const headers of credentials) {
            const { status, text } = await send({ path: '/internal/health', headers, gateway });
            const { version, timestamp, ...health } = JSON.parse(text);
            assert.equal(status, 200);
            assert.deepEqual(health, {
                status: 'healthy',
                services: { database: 'up', cache: 'up', storage: 'up' },
            });
            assert.match(version, /^\d+\.\d+\.\d+/);
            assert.ok(Math.abs(Date.parse(timestamp) - Date.now()) < 60_000);
            assert.equal(new Date(timestamp).toISOString(), timestamp);
            assert.ok(!text.includes(INTERNAL_SECRET));
        }
    }
});

it('health answers HEAD without a body, and refuses other methods', async () => {
    const head = await send({ method: 'HEAD', path: '/internal/health' });
    assert.deepEqual([head.status, head.text], [200, '']);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
        const answer = await send({ method, path: '/internal/health' });
        assert.deepEqual([answer.status, answer.headers.get('allow')], [405, 'GET, HEAD']);
    }
});

it('health is served at no other path', async () => {
    for (const path of ['/health', '/v1/health', '/internal/v1/health', '/internal/health/', '/internal/Health']) {
        await expectError(404, { path });
    }
});
