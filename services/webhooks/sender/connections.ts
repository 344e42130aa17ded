import { Agent, type AgentOptions } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { Duplex } from 'node:stream';

/** Maximum number of idle connections that are kept to one host and port. Beyond it: a connection is closed. */
const KEPT_PER_HOST = 8;
/** Number of hosts with kept connections from which on no more are kept. Beyond it: a connection is closed. */
const KEPT_HOSTS = 128;
/** For how long an idle connection is kept, in milliseconds. Beyond it: it is closed. */
const KEPT_MS = 4_000;

/**
 * Connections to receivers. The address of each was judged when it was made. An own agent knows no proxy, whatever the
 * environment says.
 */
class ReceiverAgent extends Agent {
    override keepSocketAlive(socket: Duplex) {
        return Object.keys(this.freeSockets).length < KEPT_HOSTS && super.keepSocketAlive(socket);
    }
}

/** `ca`: the only authorities whose certificates are valid, instead of those of Node. */
export function receiverAgent(options: { lookup: LookupFunction; ca: string | undefined }): Agent {
    const settings: AgentOptions = {
        keepAlive: true,
        maxFreeSockets: KEPT_PER_HOST,
        timeout: KEPT_MS,
        autoSelectFamily: true, // also has the look-up return all addresses
        rejectUnauthorized: true, // NODE_TLS_REJECT_UNAUTHORIZED changes nothing here
        ...options,
    };
    return new ReceiverAgent(settings);
}
