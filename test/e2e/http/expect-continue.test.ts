import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import { after, describe, it } from 'node:test';
import { GATEWAYS } from '../support/client.ts';
import { newAccount } from '../support/world.ts';

const { token } = await newAccount();
/** It has one connection, which is used again if the gateway keeps it open. */
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
after(() => agent.destroy());

interface Call {
    path?: string;
    bearer?: string | undefined;
    /** The length that the header announces. */
    length?: number;
    /** Other header fields. */
    more?: Record<string, string>;
}

/**
 * Sends the header of a request that asks whether its body is wanted, and the body only after 100. Returns the statuses
 * of all answers in order, and whether the connection stays open.
 */
function ask({
    path = '/v1/did',
    bearer = token,
    length = 2,
    more = {},
}: Call): Promise<{ seen: number[]; isKept: boolean }> {
    const seen: number[] = [];
    const headers = {
        Expect: '100-continue',
        'Content-Type': 'application/json',
        'Content-Length': length,
        ...(bearer !== '' && { Authorization: `Bearer ${bearer}` }),
        ...more,
    };
    return new Promise((resolve, reject) => {
        const sent = request(`${GATEWAYS[0]}${path}`, { method: 'POST', headers, agent });
        sent.on('continue', () => {
            seen.push(100);
            sent.end('{}');
        });
        sent.on('response', (response) => {
            seen.push(response.statusCode ?? 0);
            const isKept = response.headers.connection !== 'close';
            response.resume().on('end', () => {
                resolve({ seen, isKept });
                if (!isKept) sent.destroy();
            });
        });
        sent.on('error', reject);
    });
}

describe('a request with Expect: 100-continue', () => {
    it('gets 100 when its body is wanted, and then its answer over a connection that stays open', async () => {
        for (let round = 0; round < 2; round++) assert.deepEqual(await ask({}), { seen: [100, 201], isKept: true });
    });

    const refusals: Record<string, [call: Call, status: number]> = {
        'without a bearer token': [{ bearer: '' }, 401],
        'with an unknown token': [{ bearer: 'x' }, 401],
        'with a body that is too large': [{ length: 2 << 20 }, 413],
        'for a path that does not exist': [{ path: '/v1/nothing' }, 404],
        'whose body is not JSON': [{ path: '/v1/issuers', more: { 'Content-Type': 'text/plain' } }, 415],
        'with a compressed body': [{ path: '/v1/issuers', more: { 'Content-Encoding': 'gzip' } }, 415],
        'of a batch whose body is not JSON': [
            { path: '/v1/credentials/batch/issue', more: { 'Content-Type': 'text/plain' } },
            415,
        ],
        'with a malformed Idempotency-Key': [{ path: '/v1/issuers', more: { 'Idempotency-Key': 'a b' } }, 400],
        'with a path that is not properly encoded': [{ path: '/v1/issuers/%zz/rotate' }, 400],
        'for a path that has no POST': [{ path: '/v1/me' }, 405],
    };
    for (const [what, [call, status]] of Object.entries(refusals)) {
        it(`${what} is refused with ${status} at once, and its body is not asked for`, async () => {
            assert.deepEqual(await ask(call), { seen: [status], isKept: false });
        });
    }
});
