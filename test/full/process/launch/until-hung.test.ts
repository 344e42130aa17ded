import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { it, type TestContext } from 'node:test';
import { untilHung } from '../../../../deploy/local/ready.ts';

/** Serves an operations port. Returns its URL. */
async function operations(t: TestContext, listener: RequestListener) {
    const server = createServer(listener);
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const close = (): void => {
        server.close();
        server.closeAllConnections();
    };
    t.after(close);
    const { port } = server.address() as AddressInfo; // it listens on a port
    return { url: `http://127.0.0.1:${port}`, close };
}

/** Answers `/readyz`, and those questions of `/livez` whose number, counted from 1, `answers` accepts. */
function answering(answers: (question: number) => boolean): RequestListener {
    let questions = 0;
    return ({ url }, response) => {
        if (url === '/readyz' || answers(++questions)) response.end('ok');
    };
}

it('only a process that was ready and leaves all questions unanswered hangs', async (t) => {
    const silent = await operations(
        t,
        answering((question) => question <= 5),
    );
    const slow = await operations(
        t,
        answering((question) => question % 5 === 0),
    );
    const starting = await operations(t, () => undefined);
    const draining = await operations(
        t,
        answering(() => true),
    );
    setTimeout(draining.close, 1_500);
    const over = new AbortController();
    const others = [slow, starting, draining].map(({ url }) => untilHung(url, over.signal));
    assert.equal(await untilHung(silent.url, over.signal), true);
    over.abort();
    assert.deepEqual(await Promise.all(others), [false, false, false]);
});
