import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { it } from 'node:test';
import { clientErrors } from '../../../../gateway/http/client-errors.ts';
import { quiet } from '../../../support/harness.ts';

it('parser errors that come together are answered in order, 16 in each turn of the event loop', async () => {
    const errors = clientErrors({
        fail: () => assert.fail('no request of these sockets has begun'),
        decision: () => ({ state: 'admitted', limit: 1, remaining: 1, window: 60, reset: 0, wait: 1 }),
        log: quiet,
    });
    const sockets = Array.from({ length: 40 }, () => new PassThrough() as unknown as Socket); // only its stream is used
    const late = Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
    for (const socket of sockets) errors.answer(late, socket);
    const answered = () => sockets.filter(({ writableEnded }) => writableEnded).length;
    const seen = [answered()];
    while (seen.at(-1) !== sockets.length && seen.length < 100) {
        await new Promise((resolve) => setImmediate(resolve));
        if (answered() !== seen.at(-1)) seen.push(answered());
    }
    assert.deepEqual(seen, [0, 16, 32, 40]);
    for (const socket of sockets) socket.destroy();
});
