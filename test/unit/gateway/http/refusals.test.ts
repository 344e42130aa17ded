import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { it } from 'node:test';
import type { Admission } from '../../../../gateway/admission/admission.ts';
import type { Overload } from '../../../../gateway/admission/overload.ts';
import { bodyBudget } from '../../../../gateway/http/body-budget.ts';
import { beginExchange, type Exchange } from '../../../../gateway/http/exchange.ts';
import { refusals } from '../../../../gateway/http/refusals.ts';
import { AppError } from '../../../../platform/errors.ts';
import { overloaded } from '../../../../platform/gather.ts';
import { decodeError } from '../../../../platform/rpc/frames/wire.ts';
import type { Log } from '../../../../platform/telemetry/log.ts';
import { createMetrics } from '../../../../platform/telemetry/metrics.ts';

const HEAD = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 7\r\n\r\n';

it('a refusal ends as soon as the body has arrived, and the connection stays open', async () => {
    // fail() uses neither the admitter nor the log if the exchange has a decision.
    const left: Exchange[] = [];
    const overload = { leave: (exchange) => void left.push(exchange) } as Overload; // nothing else is called
    const { fail } = refusals({ admission: {} as Admission, overload, log: {} as Log });
    const endedAtOnce: boolean[] = [];
    await using server = createServer((request, response) => {
        const exchange = beginExchange(request, response, {
            ip: '127.0.0.1',
            address: '127.0.0.1',
            budget: bodyBudget(createMetrics()),
        });
        exchange.decision = { state: 'admitted', limit: 1, remaining: 1, window: 60, reset: 1, wait: 1 };
        process.nextTick(() => {
            void fail(exchange, new AppError('invalid', 'It is unfit.'));
            endedAtOnce.push(response.writableEnded);
            assert.equal(left.at(-1), exchange, 'an exchange that waits for its client holds no place');
        });
    }).listen(0);
    await once(server, 'listening');
    const socket = connect((server.address() as AddressInfo).port); // it listens on a port
    const statusOf = async () => String((await once(socket, 'data'))[0]).slice(9, 12);
    socket.write(`${HEAD}{"a":1}`);
    assert.equal(await statusOf(), '400');
    socket.write(`${HEAD}{"a`); // answered before the body has ended
    assert.equal(await statusOf(), '400');
    socket.write(`":1}${HEAD}{"a":1}`);
    assert.equal(await statusOf(), '400');
    assert.deepEqual(endedAtOnce, [true, false, true]);
    socket.destroy();
});

it('a failure is logged with its stack by the process where it happened, a refusal without one', async () => {
    const logged: unknown[] = [];
    const warned: unknown[] = [];
    // fail() calls nothing else of the log and of the overload.
    const log = {
        error: ({ err }: { err: unknown }) => void logged.push(err),
        warn: ({ reason, err }: { reason: unknown; err: unknown }) => void warned.push([reason, err]),
    } as unknown as Log;
    const overload = { leave() {} } as unknown as Overload;
    const { fail } = refusals({ admission: {} as Admission, overload, log });
    const own = new TypeError('of the gateway');
    const answered = (kind: string) => decodeError({ kind, detail: 'of a service', retry_after: undefined });
    const unknown = answered('of a later version');
    const thrown = [answered('internal'), own, unknown, overloaded('a'), overloaded('a')];
    await using server = createServer((request, response) => {
        const exchange = beginExchange(request, response, {
            ip: '127.0.0.1',
            address: '127.0.0.1',
            budget: bodyBudget(createMetrics()),
        });
        exchange.decision = { state: 'admitted', limit: 1, remaining: 1, window: 60, reset: 1, wait: 1 };
        void fail(exchange, thrown.shift());
    }).listen(0);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo; // it listens on a port
    const statuses = [];
    for (let asked = 0; asked < 5; asked++) statuses.push((await fetch(`http://127.0.0.1:${port}`)).status);
    assert.deepEqual(statuses, [500, 500, 500, 503, 503]);
    assert.deepEqual(logged, [own, unknown]);
    assert.deepEqual(warned, [['queue a', undefined]]);
});
