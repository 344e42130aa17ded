import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { METHODS, request } from 'node:http';
import { it } from 'node:test';
import { run } from '../../../main.ts';
import { SERVICE_ROLES } from '../../../proto/services.ts';
import { redisUrl } from '../../support/harness.ts';

it('an HTTP method that no endpoint uses creates no time series of its own', async (t) => {
    const { urls, stop } = await run(['gateway'], {
        ...Object.fromEntries(SERVICE_ROLES.map((role) => [`${role.toUpperCase()}_ADDRESS`, '127.0.0.1:1'])),
        PORT: '0',
        REDIS_URL: redisUrl,
        INTERNAL_SECRET: randomBytes(24).toString('base64url'),
        SERVICE_TOKEN: randomBytes(24).toString('base64url'),
        LOG_LEVEL: 'silent',
    });
    t.after(stop);
    for (const method of METHODS.filter((name) => name !== 'CONNECT')) {
        const [answer] = await once(request(`${urls.http}/v1/nothing`, { method }).end(), 'response');
        assert.equal(answer.resume().statusCode, 404, method);
    }
    const metrics = await (await fetch(`${urls.ops}/metrics`)).text();
    const counted = metrics.matchAll(/^http_request_duration_seconds_count\{.*method="(\w+)"/gm);
    const methods = Array.from(counted, ([, method]) => method);
    assert.deepEqual(methods.sort(), ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'other']);
});
