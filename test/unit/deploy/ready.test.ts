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
    const process = { name: 'process-1', ops: `http://127.0.0.1:${port}`, log: 'process-1.log' };
    const waiting = untilReady([process], { signal: stopping.signal, seconds: 60 });
    await assert.rejects(waiting, /the launcher stops/);
});

it('a start that takes too long says which process is not ready and why, and where its log is', async (t) => {
    const server = createServer((_request, response) => {
        response.writeHead(503).end('not ready\nkek: a key is missing\ndatabase: it does not answer\n');
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    t.after(() => server.close());
    const { port } = server.address() as AddressInfo; // it listens on a port
    const processes = [
        { name: 'process-1', ops: `http://127.0.0.1:${port}`, log: '/data/service.log' },
        { name: 'process-2', ops: 'http://127.0.0.1:1', log: '/data/other.log' },
    ];
    const waiting = untilReady(processes, { signal: new AbortController().signal, seconds: 0.1 });
    await assert.rejects(waiting, (error: Error) => {
        assert.deepEqual(error.message.split('\n').slice(1), [
            '  process-1: kek: a key is missing; database: it does not answer (log: /data/service.log)',
            '  process-2: it does not answer yet (log: /data/other.log)',
        ]);
        return true;
    });
});
