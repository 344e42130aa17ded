import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Send } from '../../../../client/src/client.ts';
import { isReady } from '../../../support/service.ts';

/** The interval at which the balancer checks whether replicas are ready, in milliseconds. */
const POLL_MS = 100;

interface Replica {
    port: number;
    /** The host:port of its operations server, which reports whether it is ready. */
    ops: string;
}

/** Opens each connection to the next ready replica. Open connections stay, even if their replica is no longer ready. */
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

/** An agent that opens its connections with `open`. */
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

/** Sends on one connection as long as the server keeps it alive. A request that a connection loses is not repeated. */
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
