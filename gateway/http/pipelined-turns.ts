import type { Socket } from 'node:net';
import { eachTurn } from '../../platform/process/turns.ts';

/**
 * Maximum number of pipelined requests that one turn of the event loop starts. They take a few milliseconds. Beyond it:
 * the others wait for later turns.
 */
const MAX_PER_TURN = 8;

/** Calls `begin`, at once or in a later turn of the event loop. */
export type BeginInTurn = (socket: Socket, isFirst: boolean, begin: () => void) => void;

/**
 * Starts a request at once if its connection has no other request in progress. Pipelined requests wait, and the
 * connections take turns. Otherwise, if many connections pipelined at the same moment, all other clients would wait for
 * their requests.
 */
export function pipelinedTurns(): BeginInTurn {
    /**
     * The waiting requests of each connection, oldest first. The bound on requests per connection limits their number.
     */
    const waiting = new Map<Socket, Array<() => void>>();

    function runTurn(): boolean {
        let begun = 0;
        for (const [socket, begins] of waiting) {
            if (begun === MAX_PER_TURN) break;
            waiting.delete(socket);
            if (socket.destroyed) continue;
            begun++;
            const begin = begins.shift();
            if (begins.length > 0) waiting.set(socket, begins); // moves the connection behind the others
            begin?.();
        }
        return waiting.size > 0;
    }

    return (socket, isFirst, begin) => {
        const begins = waiting.get(socket);
        if (begins) begins.push(begin);
        else if (isFirst) begin();
        else {
            waiting.set(socket, [begin]);
            eachTurn(runTurn);
        }
    };
}
