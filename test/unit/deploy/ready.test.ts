import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { it } from 'node:test';
import { untilReady } from '../../../deploy/local/ready.ts';

it('a process that becomes ready after a stop has begun does not count as ready', async (t) => {
    const stopping = new AbortController();
    const server = createServer((_request, response) => {
        stopping.abort(new Error('the launcher stops'));
        response.end('ready');
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    t.after(() => server.close());
    const { port } = server.address() as AddressInfo; // it listens on a port
    const waiting = untilReady([{ name: 'process-1', ops: `http://127.0.0.1:${port}` }], stopping.signal);
    await assert.rejects(waiting, /the launcher stops/);
});
