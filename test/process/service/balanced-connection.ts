import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Send } from '../../../client/src/client.ts';
import { isReady } from '../../support/service.ts';

/** How often a balancer asks, in milliseconds. */
const POLL_MS = 100;

export interface Replica {
    port: number;
    /** Where it says whether it is ready, by host:port. */
    ops: string;
}

/** Connections to one of the replicas each, and no more to one that is not ready; those that are open stay where they are. */
export function balancer(replicas: readonly Replica[]) {
    const ready = new Set(replicas);
    let turn = 0;
    const poll = async (replica: Replica): Promise<void> => {
        if (await isReady(replica.ops)) ready.add(replica);
        else ready.delete(replica);
    };
    const polls = setInterval(() => replicas.map(poll), POLL_MS);
    return {
        open(): Socket {
            const open = [...ready];
            turn++;
            const replica = open[turn % open.length];
            if (!replica) throw new Error('No replica is ready.');
            return connect(replica.port, '127.0.0.1');
        },
        close: () => clearInterval(polls),
    };
}

/** Opens its connections as `open` does. */
class BalancedAgent extends Agent {
    readonly #open: () => Socket;

    constructor(open: () => Socket) {
        super({ keepAlive: true, maxSockets: 1 });
        this.#open = open;
    }

    override createConnection(): Socket {
        return this.#open();
    }
}

/** Sends on one connection as long as the server keeps that alive, and never twice: what a connection loses is lost. */
export function keptAlive(open: () => Socket): { send: Send; close(): void } {
    const agent = new BalancedAgent(open);
    const send: Send = (url, { method = 'GET', headers, body, signal }) =>
        new Promise((resolve, reject) => {
            const options = {
                agent,
                method,
                headers: Object.fromEntries(new Headers(headers)),
                signal: signal ?? undefined,
            };
            const sent = request(url, options, (response) => {
                const { statusCode: status, headers: received } = response;
                text(response).then(
                    (content) => resolve(new Response(content, { status, headers: flat(received) })),
                    reject,
                );
            });
            sent.on('error', reject);
            sent.end(typeof body === 'string' ? body : undefined);
        });
    return { send, close: () => agent.destroy() };
}

function flat(headers: IncomingHttpHeaders): Array<[string, string]> {
    return Object.entries(headers).map(([name, value]) => [name, String(value)]);
}
