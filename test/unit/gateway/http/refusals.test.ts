import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { it } from 'node:test';
import type { Admitter } from '../../../../gateway/admission/admit.ts';
import type { Overload } from '../../../../gateway/admission/overload.ts';
import { bodyBudget } from '../../../../gateway/http/body-budget.ts';
import { beginExchange, type Exchange } from '../../../../gateway/http/exchange.ts';
import { refusals } from '../../../../gateway/http/refusals.ts';
import { AppError } from '../../../../platform/errors.ts';
import { decodeError } from '../../../../platform/rpc/frames/wire.ts';
import type { Log } from '../../../../platform/telemetry/log.ts';
import { createMetrics } from '../../../../platform/telemetry/metrics.ts';

const HEAD = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 7\r\n\r\n';

it('a refusal ends at once when the body has arrived, and else when it has; the connection goes on', async () => {
    // A refusal with a decision asks neither.
    const left: Exchange[] = [];
    const overload = { leave: (exchange) => void left.push(exchange) } as Overload; // nothing else is called
    const { fail } = refusals({ admitter: {} as Admitter, overload, log: {} as Log });
    const ended_at_once: boolean[] = [];
    await using server = createServer((request, response) => {
        const exchange = beginExchange(request, response, {
            address: '127.0.0.1',
            budget: bodyBudget(createMetrics()),
            onRead: () => {},
        });
        exchange.decision = { state: 'admitted', limit: 1, remaining: 1, reset: 1, wait: 1 };
        process.nextTick(() => {
            void fail(exchange, new AppError('invalid', 'It is unfit.'));
            ended_at_once.push(response.writableEnded);
            assert.equal(left.at(-1), exchange, 'what waits for its sender, or its reader, holds no place');
        });
    }).listen(0);
    await once(server, 'listening');
    const socket = connect((server.address() as AddressInfo).port); // it listens on a port
    const statusOf = async () => String((await once(socket, 'data'))[0]).slice(9, 12);
    socket.write(`${HEAD}{"a":1}`);
    assert.equal(await statusOf(), '400');
    socket.write(`${HEAD}{"a`); // answered before it has ended
    assert.equal(await statusOf(), '400');
    socket.write(`":1}${HEAD}{"a":1}`);
    assert.equal(await statusOf(), '400');
    assert.deepEqual(ended_at_once, [true, false, true]);
    socket.destroy();
});

it('a failure is logged with its stack where it happened, and not again where a service has answered with it', async () => {
    const logged: unknown[] = [];
    const log = { error: ({ err }: { err: unknown }) => void logged.push(err) } as unknown as Log; // all that is called
    const overload = { leave() {} } as unknown as Overload; // all that is called
    const { fail } = refusals({ admitter: {} as Admitter, overload, log });
    const own = new TypeError('of the gateway');
    const answered = (kind: string) => decodeError({ kind, detail: 'of a service', retry_after: undefined });
    const unknown = answered('of a later version');
    const thrown = [answered('internal'), own, unknown];
    await using server = createServer((request, response) => {
        const exchange = beginExchange(request, response, {
            address: '127.0.0.1',
            budget: bodyBudget(createMetrics()),
            onRead: () => {},
        });
        exchange.decision = { state: 'admitted', limit: 1, remaining: 1, reset: 1, wait: 1 };
        void fail(exchange, thrown.shift());
    }).listen(0);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo; // it listens on a port
    const statuses = [];
    for (let asked = 0; asked < 3; asked++) statuses.push((await fetch(`http://127.0.0.1:${port}`)).status);
    assert.deepEqual(statuses, [500, 500, 500]);
    assert.deepEqual(logged, [own, unknown]);
});
