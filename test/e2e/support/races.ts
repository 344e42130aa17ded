import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type Answer, type Call, send } from './client.ts';

/** How often each race is run; every race has a number of its own for a quick run. */
const ROUNDS = Number(process.env['RACE_ROUNDS'] ?? 0);
/** What all delays, orders and gateways of a run follow from: the same seed, the same race. */
const SEED = Number(process.env['RACE_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
/** Calls of one round start within so many milliseconds of each other: about what one of them takes. */
const SPREAD_MS = 12;
/** Where a search for a serial order gives up: most find theirs in as many steps as there are calls. */
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

/** Runs a race `quick` times (or RACE_ROUNDS times) with 2 to 50 callers; a failure names the seed that repeats it. */
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

/** Makes one more call, when all others are answered. */
export async function afterwards(call: Call, dice: Dice, sender: Send = send): Promise<Made> {
    const [made] = await together([call], dice, sender);
    return made as Made; // one for one
}

/** Makes all calls at about the same time, in any order, over both gateways; answers in the order of the calls. */
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
 * Asserts that the calls, one after another in some order, would have answered just this, where no call comes before one that
 * was answered before it began. `step` gives the state after a call, an equal one if the call changes nothing, or
 * `undefined` where the call could not have answered so; calls that lead from one state to equal ones are taken to be
 * interchangeable. Returns the state that such an order ends in; where orders may differ in that, make a read the last call.
 */
export function serialOrder<State>(
    made: readonly Made[],
    initial: State,
    step: (state: State, made: Made) => State | undefined,
): State {
    const in_vain = new Set<string>();
    const search = (state: State, left: readonly Made[]): { end: State } | undefined => {
        if (left.length === 0) return { end: state };
        const place = JSON.stringify([state, left.map((one) => made.indexOf(one))]);
        if (in_vain.has(place)) return undefined;
        assert.ok(in_vain.size < MAX_PLACES, 'the search for a serial order takes too long');
        const first_end = Math.min(...left.map(({ ended }) => ended));
        const moves = new Map<string, { one: Made; next: State }>();
        for (const one of left.filter(({ began }) => began <= first_end)) {
            const next = step(state, one);
            const name = JSON.stringify(next);
            if (next !== undefined && !moves.has(name)) moves.set(name, { one, next });
        }
        const free = moves.get(JSON.stringify(state)); // changes nothing: mostly right to come first
        for (const { one, next } of new Set([...(free ? [free] : []), ...moves.values()])) {
            const without = left.filter((other) => other !== one);
            const found = search(next, without);
            if (found) return found;
        }
        in_vain.add(place);
        return undefined;
    };
    const in_order = [...made].sort((a, b) => a.ended - b.ended);
    const found = search(initial, in_order);
    assert.ok(found, `no serial order explains these answers:\n${in_order.map(lineOf).join('\n')}`);
    return found.end;
}

function lineOf({ call, answer, began, ended }: Made): string {
    const { method = 'GET', path } = call;
    return `${began.toFixed(1)}-${ended.toFixed(1)} ${method} ${path}: ${answer.status} ${answer.text.slice(0, 300)}`;
}

/** A small generator of good enough chance (mulberry32), from the hash (FNV-1a) of a text. */
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
