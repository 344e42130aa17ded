import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type Answer, type Call, send } from './client.ts';
import { sendRaw } from './raw.ts';

/** Rounds of each race. With 0, each race runs the number of rounds that it declares for a quick run. */
const ROUNDS = Number(process.env['RACE_ROUNDS'] ?? 0);
/** Seed of all random delays, orders and gateways. The same seed repeats a race. */
const SEED = Number(process.env['RACE_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
/** The calls of a round start within this time (ms), which is about the duration of one call. */
const SPREAD_MS = 12;
/** The search for a serial order fails after this many dead ends. Most searches need one step per call. */
const MAX_PLACES = 100_000;

export interface Dice {
    /** A whole number from 0 to `below` - 1. */
    number(below: number): number;
    pick<T>(items: readonly T[]): T;
}

/** A call that was made, and when (`performance.now()`) it began and was answered. */
export interface Made {
    call: Call;
    answer: Pick<Answer, 'status' | 'text' | 'data'>;
    began: number;
    ended: number;
}

/** Defines a test that runs `quick` (or RACE_ROUNDS) rounds with 2 to 50 callers. A failure names its seed. */
export function race(name: string, quick: number, round: (callers: number, dice: Dice) => Promise<void>): void {
    const rounds = ROUNDS || quick;
    it(`${name}, ${rounds} rounds`, async () => {
        for (let at = 0; at < rounds; at++) {
            const dice = diceOf(`${SEED} ${name} ${at}`);
            const callers = [2, 50, 3 + dice.number(10)][at % 3] as number;
            try {
                await round(callers, dice);
            } catch (error) {
                throw new Error(`round ${at} with ${callers} callers; repeat it with RACE_SEED=${SEED}`, {
                    cause: error,
                });
            }
        }
    });
}

type Send = (call: Call) => Promise<Made['answer']>;

/** Returns a function that sends calls from a random address. Refusals count against an address. */
export function senderFrom(dice: Dice): Send {
    const from = `127.${1 + dice.number(250)}.${dice.number(256)}.${1 + dice.number(250)}`;
    return async (call) => {
        const headers = [
            ['Authorization', `Bearer ${call.token}`],
            ['Content-Type', 'application/json'],
        ] as const;
        const body = call.body === undefined ? '' : JSON.stringify(call.body);
        const { status, text } = await sendRaw({ ...call, headers, body, from });
        return { status, text, data: JSON.parse(text).data };
    };
}

/** Repeats a call that is refused for the moment: on a slow machine the last of many batches would wait for too long. */
export async function patiently(call: Call): Promise<Made['answer']> {
    for (;;) {
        const answer = await send(call);
        const seconds = Number(answer.headers.get('retry-after'));
        if (answer.status !== 429 || !(seconds > 0)) return answer;
        await delay(seconds * 1_000);
    }
}

/** Makes one more call, after all others were answered. */
export async function afterwards(call: Call, dice: Dice, sender: Send = send): Promise<Made> {
    const [made] = await together([call], dice, sender);
    return made as Made; // one call has one result
}

/** Makes all calls at about the same time, in a random order, over both gateways. Returns them in the given order. */
export function together(calls: readonly Call[], dice: Dice, sender: Send = send): Promise<Made[]> {
    return Promise.all(
        calls.map(async (call) => {
            const gateway = dice.number(2);
            await delay(dice.number(SPREAD_MS));
            const began = performance.now();
            const answer = await sender({ ...call, gateway });
            return { call, answer, began, ended: performance.now() };
        }),
    );
}

/**
 * Asserts that a serial order of the calls explains their answers: an order in which each call comes after all calls
 * that were answered before it began. `step` returns the state after a call, an equal state if the call changes
 * nothing, or `undefined` if the call cannot have had this answer in this state. Calls that lead from one state to
 * equal states count as interchangeable. Returns the last state of the order. If orders with different last states are
 * possible, make a read the last call.
 */
export function serialOrder<State>(
    made: readonly Made[],
    initial: State,
    step: (state: State, made: Made) => State | undefined,
): State {
    const inVain = new Set<string>();
    const search = (state: State, left: readonly Made[]): { end: State } | undefined => {
        if (left.length === 0) return { end: state };
        const place = JSON.stringify([state, left.map((one) => made.indexOf(one))]);
        if (inVain.has(place)) return undefined;
        assert.ok(inVain.size < MAX_PLACES, 'the search for a serial order takes too long');
        const firstEnd = Math.min(...left.map(({ ended }) => ended));
        const moves = new Map<string, { one: Made; next: State }>();
        for (const one of left.filter(({ began }) => began <= firstEnd)) {
            const next = step(state, one);
            const name = JSON.stringify(next);
            if (next !== undefined && !moves.has(name)) moves.set(name, { one, next });
        }
        const free = moves.get(JSON.stringify(state)); // it changes nothing, so it can usually come first
        for (const { one, next } of new Set([...(free ? [free] : []), ...moves.values()])) {
            const without = left.filter((other) => other !== one);
            const found = search(next, without);
            if (found) return found;
        }
        inVain.add(place);
        return undefined;
    };
    const inOrder = [...made].sort((a, b) => a.ended - b.ended);
    const found = search(initial, inOrder);
    assert.ok(found, `no serial order explains these answers:\n${inOrder.map(lineOf).join('\n')}`);
    return found.end;
}

function lineOf({ call, answer, began, ended }: Made): string {
    const { method = 'GET', path } = call;
    return `${began.toFixed(1)}-${ended.toFixed(1)} ${method} ${path}: ${answer.status} ${answer.text.slice(0, 300)}`;
}

/** Returns a small pseudorandom generator (mulberry32) whose seed is the hash (FNV-1a) of a text. */
function diceOf(text: string): Dice {
    let state = [...text].reduce((hash, char) => Math.imul(hash ^ char.charCodeAt(0), 16_777_619), 2_166_136_261);
    const number = (below: number): number => {
        state = (state + 0x6d2b79f5) | 0;
        let mixed = Math.imul(state ^ (state >>> 15), state | 1);
        mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
        return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
    };
    return { number, pick: (items) => items[number(items.length)] as (typeof items)[number] };
}
