import { setTimeout as delay } from 'node:timers/promises';
import { httpClient, type Request } from '../load/calls.ts';
import type { Scenario, Trial } from '../scenario.ts';
import type { Supervised } from '../stack/supervisor.ts';

const POISONED_MS = 8_000;
/** Length of a long text. A body with it is just below the size limit of 1 MiB. */
const LONG = 1_000_000;
const LEVELS = 50_000;
const BLOCKED_MS = 50;
/** Number of clients that send these bodies at the same time. */
const CALLERS = 2;

/** Requests that a careless parser spends much time on: too long, too deep, with too many items, or not signed. */
function poisons(token: string, did: string): Request[] {
    const post = (path: string, body: unknown): Request => ({ method: 'POST', path, token, body });
    const unsigned = (payload: string): string =>
        `v4.public.${Buffer.concat([Buffer.from(payload), Buffer.alloc(64)]).toString('base64url')}`;
    const verify = (credential: string): Request => post('/v1/credentials/verify', { credential, issuer_did: did });
    const audience = 'did:web:verifier.example';
    const deep = JSON.parse(`${'['.repeat(LEVELS)}${']'.repeat(LEVELS)}`) as unknown; // an array
    return [
        verify(`v4.public.${'A'.repeat(LONG)}`),
        verify(unsigned(`{"a":${'['.repeat(LEVELS)}${']'.repeat(LEVELS)}}`)),
        verify(unsigned(`{"a":"${'\\"'.repeat(300_000)}"}`)),
        post('/v1/presentations/verify', { presentation: unsigned(`{"a":"${'\\"'.repeat(300_000)}"}`), audience }),
        post('/v1/presentations/verify', { presentation: unsigned(`{"a":${'{"b":'.repeat(LEVELS)}1}`), audience }),
        post('/v1/credentials', { claims: deep }),
        post('/v1/presentations', { credentials: Array.from({ length: 400_000 }, () => 0), audience }),
        post('/v1/did', { public_key: 'A'.repeat(LONG) }),
    ];
}

async function run({ stack, load, scaled, target, recovered, broken, note }: Trial): Promise<void> {
    const [actor] = load.actors;
    if (!actor) return;
    const requests = poisons(actor.key.secret, actor.did);
    const end = performance.now() + scaled(POISONED_MS);
    const watched = [...stack.gateways.slice(0, 1), ...['credentials', 'presentations'].flatMap(stack.of)];
    const watches = watched.map((one) => longestAnswer(one, end));
    const callers = Array.from({ length: CALLERS }, async (_, first) => {
        const { send, close } = httpClient(stack.ports, stack.secrets.internal);
        for (let turn = first; performance.now() < end; turn++) {
            const request = requests[turn % requests.length];
            const outcome = request && (await send(0, request));
            if (outcome && 'status' in outcome && outcome.status === 500) broken('I6', `${request.path} answered 500`);
        }
        close();
    });
    await Promise.all(callers);
    for (const [index, watch] of watches.entries()) {
        const longest = Math.round(await watch);
        const name = watched[index]?.name;
        note(`the event loop of ${name} answered after at most ${longest} ms`);
        target(`the event loop of ${name} was blocked for ${longest} ms`, longest <= BLOCKED_MS);
    }
    await recovered('poison', performance.now());
}

/** Returns the longest time (ms) that a process took to answer on its operations port, which its event loop serves. */
async function longestAnswer({ ops }: Supervised, end: number): Promise<number> {
    let longest = 0;
    while (performance.now() < end) {
        const began = performance.now();
        await (await fetch(`http://${ops}/livez`)).text();
        longest = Math.max(longest, performance.now() - began);
        await delay(10);
    }
    return longest;
}

export const poison: readonly Scenario[] = [
    { id: 'F18', fault: 'bodies that cost parsers and signature threads much time', form: 'apart', run },
];
