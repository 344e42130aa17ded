import type { Socket } from 'node:net';
import { eachTurn } from '../process/turns.ts';

/**
 * How long one turn of the event loop may begin requests, in milliseconds. Beyond it: all connections are paused and
 * wait for later turns.
 */
const READING_MS = 10;
/**
 * Number of paused connections with and without proof that each later turn resumes, those that have waited longest
 * first. With more, a gateway at capacity would spend its time on refusals. Beyond it: the others wait for later turns.
 */
const RESUMED_PER_TURN = { proven: 24, unproven: 4 };

/**
 * Returns a function that must be called for each request. It reads connections in turns while they send more than the
 * event loop processes in READING_MS: first those that `isProven` says have behaved well. Without this, one turn would
 * process everything that thousands of connections have sent, and all other clients would wait for seconds.
 */
export function readingTurns(open: ReadonlyMap<Socket, unknown>, isProven: (socket: Socket) => boolean): () => void {
    const paused = new Set<Socket>();
    /** `performance.now()` at the first request of this turn; undefined before that. */
    let began: number | undefined;

    function resume(sockets: Socket[]): void {
        for (const socket of sockets) {
            paused.delete(socket);
            socket.resume();
        }
    }

    function nextTurn(): boolean {
        began = undefined;
        const waiting = Array.from(paused);
        const proven = waiting.filter(isProven);
        resume(proven.splice(-1)); // the one that was active last: a flood of others does not delay it
        resume(proven.slice(0, RESUMED_PER_TURN.proven));
        resume(waiting.filter((socket) => !isProven(socket)).slice(0, RESUMED_PER_TURN.unproven));
        return paused.size > 0;
    }

    return () => {
        const now = performance.now();
        if (began === undefined) {
            began = now;
            eachTurn(nextTurn);
        } else if (now - began > READING_MS) {
            began = Number.POSITIVE_INFINITY; // once in a turn
            for (const socket of open.keys()) {
                paused.add(socket);
                socket.pause();
            }
        }
    };
}
