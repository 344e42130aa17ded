import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { issue, present, revoke } from './actions/credentials.ts';
import { registerDid } from './actions/dids.ts';
import { makeKey, revokeKey } from './actions/keys.ts';
import { changePassword, endSession, openSession, refreshSession, register, rename } from './actions/sessions.ts';
import { makeWallet, remove, store } from './actions/wallets.ts';
import { type Actor, newActor } from './actor.ts';
import { isAcknowledged, type Send } from './calls.ts';
import { type Entry, isWrite, type Journal, type Kind } from './journal.ts';

/** The actions of a client, with their shares in percent. */
const MIX: ReadonlyArray<readonly [times: number, action: (actor: Actor) => Promise<void>]> = [
    [34, issue],
    [9, revoke],
    [6, present],
    [14, registerDid],
    [6, makeKey],
    [4, revokeKey],
    [4, openSession],
    [3, refreshSession],
    [3, endSession],
    [1, changePassword],
    [4, rename],
    [4, register],
    [1, makeWallet],
    [5, store],
    [2, remove],
];
const ACTIONS = MIX.flatMap(([times, action]) => Array.from({ length: times }, () => action));

/** Number of accounts that are created at the same time. */
const OPENED_AT_ONCE = 8;
/** The rate is measured over this time, in milliseconds. */
const RATE_MS = 500;
/** The full rate is reached at this fraction of the rate before the fault. */
const FULL = 0.8;

interface LoadOptions {
    clients: number;
    /** Pause of a client between two actions, in milliseconds. It leaves the processors to the service. */
    pauseMs: number;
    journal: Journal;
    gateways: number;
    /** Opens the connections of a client. */
    client(index: number): { send: Send; close(): void };
}

export interface Load {
    actors: readonly Actor[];
    /** Starts the writes. */
    start(): void;
    /** Stops the writes. Resolves when every client has its last answer. */
    stop(): Promise<void>;
    /** Milliseconds from `since` to the first acknowledged write after it, of any kind or of `kind`. */
    firstAfter(since: number, kind?: Kind): number | undefined;
    /** Acknowledged writes per second over this time. */
    rate(from: number, to: number): number;
    /** Milliseconds from `since` until the rate over 500 ms reaches 80 % of `baseline`, or undefined if it does not. */
    fullRateAfter(since: number, baseline: number): number | undefined;
    /** Entries whose calls ended in this time. */
    between(from: number, to: number): Entry[];
}

/** Creates an account for each client. The clients write nothing before start(). */
export async function prepareLoad(options: LoadOptions): Promise<Load> {
    const { clients, pauseMs, journal, gateways } = options;
    const connections = Array.from({ length: clients }, (_, index) => options.client(index));
    const actors: Actor[] = [];
    while (actors.length < clients) {
        const next = connections.slice(actors.length, actors.length + OPENED_AT_ONCE);
        const first = actors.length;
        const open = ({ send }: { send: Send }, index: number) =>
            newActor({ index: first + index, send, gateways, journal });
        actors.push(...(await Promise.all(next.map(open))));
    }
    let isOver = false;
    let running: Promise<unknown> = Promise.resolve();

    async function run(actor: Actor): Promise<void> {
        while (!isOver) {
            const action = ACTIONS[randomInt(ACTIONS.length)] ?? issue;
            await action(actor);
            await delay(pauseMs);
        }
    }

    const isDone = (entry: Entry): boolean => isWrite(entry) && isAcknowledged(entry.outcome);
    const endedIn = (from: number, to: number): Entry[] =>
        journal.entries.filter(({ ended = Number.POSITIVE_INFINITY }) => ended > from && ended <= to);
    const acknowledgements = (from: number, to = Number.MAX_VALUE): number[] =>
        endedIn(from, to)
            .filter(isDone)
            .map(({ ended }) => ended ?? 0)
            .sort((a, b) => a - b);
    const rate = (from: number, to: number): number => (acknowledgements(from, to).length / (to - from)) * 1_000;

    return {
        actors,
        start() {
            running = Promise.all(actors.map(run));
        },
        async stop() {
            isOver = true;
            await running;
            for (const connection of connections) connection.close();
        },
        firstAfter(since, kind) {
            const of = (entry: Entry): boolean => kind === undefined || entry.intent.kind === kind;
            const found = endedIn(since, Number.MAX_VALUE).filter((entry) => isDone(entry) && of(entry));
            return found.length === 0 ? undefined : Math.min(...found.map(({ ended = 0 }) => ended)) - since;
        },
        rate,
        fullRateAfter(since, baseline) {
            const wanted = (baseline * FULL * RATE_MS) / 1_000;
            const times = acknowledgements(since);
            const at = times.findIndex((time, index) => {
                const nth = times[index - Math.ceil(wanted) + 1];
                return nth !== undefined && time - nth <= RATE_MS;
            });
            return at === -1 ? undefined : (times[at] as number) - since; // the index was found
        },
        between: endedIn,
    };
}
