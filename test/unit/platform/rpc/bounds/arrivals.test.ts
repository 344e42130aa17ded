import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { arrivals } from '../../../../../platform/rpc/bounds/arrivals.ts';

const CLIENTS = 40;

it('at most four connections are accepted in one turn of the event loop, each after its client has sent something', async () => {
    let ofThisTurn = 0;
    const perTurn: number[] = [];
    const accepted: Socket[] = [];
    const arrive = arrivals((socket) => {
        accepted.push(socket);
        if (++ofThisTurn > 1) return;
        queueMicrotask(() => {
            perTurn.push(ofThisTurn);
            ofThisTurn = 0;
        });
    });
    const arrived: Socket[] = [];
    await using server = createServer((socket) => {
        arrived.push(socket);
        arrive(socket);
    }).listen(0);
    await once(server, 'listening');
    const clients = Array.from({ length: CLIENTS }, () => connect((server.address() as AddressInfo).port)); // it listens
    await Promise.all(clients.map((client) => once(client, 'connect')));
    while (arrived.length < CLIENTS) await nextTurn();
    assert.equal(accepted.length, 0, 'a silent client is not accepted');
    for (const client of clients) client.write('x');
    while (accepted.length < CLIENTS) await nextTurn();
    await nextTurn();
    for (const socket of [...clients, ...arrived]) socket.destroy(); // otherwise the server waits for them
    assert.ok(Math.max(...perTurn) <= 4, `accepted per turn: ${perTurn}`);
});

it('a client that closes its connection without sending anything is not accepted', async () => {
    const accepted: Socket[] = [];
    const closed = Promise.withResolvers<void>();
    const arrive = arrivals((socket) => accepted.push(socket));
    await using server = createServer((socket) => {
        arrive(socket);
        socket.on('close', () => closed.resolve());
    }).listen(0);
    await once(server, 'listening');
    connect((server.address() as AddressInfo).port).end(); // it listens
    await closed.promise;
    assert.deepEqual(accepted, []);
});
