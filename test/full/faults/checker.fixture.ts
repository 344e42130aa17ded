import assert from 'node:assert/strict';
import { issue, present, revoke } from './load/actions/credentials.ts';
import { registerDid } from './load/actions/dids.ts';
import { makeKey, revokeKey } from './load/actions/keys.ts';
import { changePassword, endSession, openSession, refreshSession, register, rename } from './load/actions/sessions.ts';
import { makeWallet, remove, store } from './load/actions/wallets.ts';
import { type Actor, newActor } from './load/actor.ts';
import { httpClient, isAcknowledged } from './load/calls.ts';
import type { Entry, Journal } from './load/journal.ts';

const CLIENTS = 2;
const MOST_TURNS = 30;
/** Every kind of write. A write that needs another one comes after it. */
const EVERYTHING = [
    ...[issue, issue, issue, issue, revoke, present, registerDid, makeKey, makeKey, revokeKey],
    ...[openSession, openSession, refreshSession, endSession, openSession, changePassword, rename],
    ...[register, register, makeWallet, store, store, remove],
];

/**
 * Opens clients that do not send some writes and lose the answers to some others. Resolves to the clients when each
 * kind of write has been acknowledged.
 */
export async function writeUnreliably(ports: readonly number[], secret: string, journal: Journal): Promise<Actor[]> {
    const actors: Actor[] = [];
    for (let index = 0; index < CLIENTS; index++) {
        const { send } = unreliable(httpClient(ports, secret));
        actors.push(await newActor({ index, send, gateways: 2, journal }));
    }
    for (let turn = 0; !hasEverything(journal); turn++) {
        assert.ok(turn < MOST_TURNS, 'some kind of write never happens');
        await Promise.all(actors.map(doEverything));
    }
    return actors;
}

async function doEverything(actor: Actor): Promise<void> {
    for (const action of EVERYTHING) await action(actor);
}

/** Number of calls that open the account of a client. They always succeed. */
const OPENING_CALLS = 4;

/** Returns a client that does not send some writes, and loses the answers to some others. */
function unreliable({ send, close }: ReturnType<typeof httpClient>): ReturnType<typeof httpClient> {
    let calls = 0;
    return {
        async send(gateway, request) {
            // A change of the password is always sent: if it is not acknowledged, the client opens no more sessions.
            const isReliable =
                ++calls <= OPENING_CALLS || request.method === 'GET' || request.path === '/v1/me/password';
            const chance = isReliable ? 1 : Math.random();
            if (chance < 0.1) return { status: 503, hasRetryAfter: true, data: {}, tookMs: 0 };
            const outcome = await send(gateway, request);
            return chance < 0.25 ? { lost: 'the answer', tookMs: outcome.tookMs } : outcome;
        },
        close,
    };
}

/** Returns whether each kind of write was acknowledged, a registration lost its answer, and a credential was kept. */
function hasEverything({ entries }: Journal): boolean {
    const done = new Set(entries.filter(({ outcome }) => isAcknowledged(outcome)).map(({ intent }) => intent.kind));
    const isInDoubt = ({ intent, outcome }: Entry): boolean =>
        intent.kind === 'register' && outcome !== undefined && 'lost' in outcome;
    const wanted = [
        ...['register', 'register-did', 'revoke-key', 'end-session', 'refresh', 'change-password'],
        ...['revoke', 'store', 'remove', 'present'],
    ];
    const isEachDone = wanted.every((kind) => done.has(kind as Entry['intent']['kind']));
    return isEachDone && entries.some(isInDoubt) && keptCredentials({ entries }).size > 0;
}

export function keptCredentials({ entries }: Pick<Journal, 'entries'>): Set<string> {
    const ids = new Set<string>();
    for (const { intent, outcome } of entries) {
        if (intent.kind === 'store' && isAcknowledged(outcome)) ids.add(intent.credentialId);
        if (intent.kind === 'remove') ids.delete(intent.credentialId);
    }
    return ids;
}
