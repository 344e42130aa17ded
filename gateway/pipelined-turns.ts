import type { Socket } from 'node:net';

/** Pipelined requests that are begun in one turn of the event loop: together they take a few milliseconds. */
const MAX_PER_TURN = 32;

/** Calls `begin`, at once or in a later turn of the event loop. */
export type BeginInTurn = (socket: Socket, isFirst: boolean, begin: () => void) => void;

/**
 * Begins a request at once where its connection has none in progress. Pipelined requests wait, and connections take turns: many
 * connections that send many requests at the same moment would keep everybody else waiting for all of these requests.
 */
export function pipelinedTurns(): BeginInTurn {
    /** The requests of each connection that wait, oldest first. Connections bound how many there are. */
    const waiting = new Map<Socket, Array<() => void>>();

    function runTurn(): void {
        let begun = 0;
        for (const [socket, begins] of waiting) {
            if (++begun > MAX_PER_TURN) break;
            waiting.delete(socket);
            const begin = begins.shift();
            if (begins.length > 0) waiting.set(socket, begins); // behind the other connections
            begin?.();
        }
        if (waiting.size > 0) setImmediate(runTurn); // what has arrived meanwhile comes first
    }

    return (socket, isFirst, begin) => {
        const begins = waiting.get(socket);
        if (begins) begins.push(begin);
        else if (isFirst) begin();
        else {
            waiting.set(socket, [begin]);
            if (waiting.size === 1) setImmediate(runTurn);
        }
    };
}
