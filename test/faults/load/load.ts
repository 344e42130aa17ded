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

/** What a client does, and how many times in a hundred. */
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

/** How many accounts are opened at a time. */
const OPENED_AT_ONCE = 8;
/** The rate is measured over so long, in milliseconds. */
const RATE_MS = 500;
/** What counts as the full rate again: this part of the one before. */
const FULL = 0.8;

export interface LoadOptions {
    clients: number;
    /** Between two calls of a client, in milliseconds: it leaves the processors to the service. */
    pauseMs: number;
    journal: Journal;
    gateways: number;
    /** A connection of its own for each client. */
    client(index: number): { send: Send; close(): void };
}

export interface Load {
    actors: readonly Actor[];
    /** Begins to write. */
    start(): void;
    /** Resolves when every client has had its last answer. */
    stop(): Promise<void>;
    /** Milliseconds from `since` to the first acknowledged write that ended later, of any kind or this one. */
    firstAfter(since: number, kind?: Kind): number | undefined;
    /** Acknowledged writes per second over this time. */
    rate(from: number, to: number): number;
    /** Milliseconds from `since` until the rate of 500 ms is 80 % of `baseline`; undefined where it never is. */
    fullRateAfter(since: number, baseline: number): number | undefined;
    /** What ended in this time. */
    between(from: number, to: number): Entry[];
}

/** Opens an account for each client; they write nothing yet. */
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
            return at === -1 ? undefined : (times[at] as number) - since; // found
        },
        between: endedIn,
    };
}
