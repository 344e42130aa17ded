import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { startService, type TestService } from '../support/service.ts';
import { check } from './check/checker.ts';
import type { Invariant, Violation } from './check/violation.ts';
import { issue, present, revoke } from './load/actions/credentials.ts';
import { registerDid } from './load/actions/dids.ts';
import { makeKey, revokeKey } from './load/actions/keys.ts';
import { changePassword, endSession, openSession, refreshSession, register, rename } from './load/actions/sessions.ts';
import { makeWallet, remove, store } from './load/actions/wallets.ts';
import { type Actor, newActor } from './load/actor.ts';
import { type Answer, type Data, httpClient, isAcknowledged, type Request, type Send } from './load/calls.ts';
import { type Entry, type Journal, openJournal } from './load/journal.ts';

const dir = mkdtempSync(join(tmpdir(), 'checker-'));
after(() => rmSync(dir, { recursive: true }));

/** Makes a good answer to a request bad; `gateway`: which has answered. */
type Spoil = (request: Request, answer: Answer, gateway: number) => Answer;

const rowsOf = ({ data }: Answer, field = 'credentials'): Data[] => data[field] as Data[]; // as the interface says
const withRows = (answer: Answer, rows: Data[], field = 'credentials'): Answer => ({
    ...answer,
    data: { ...answer.data, [field]: rows, total: rows.length },
});
/** Credentials that were certainly issued, stored in a wallet and not removed from it. */
const kept = new Set<string>();
function withoutOneKept(answer: Answer): Answer {
    const rows = rowsOf(answer);
    const place = rows.findIndex((row) => kept.has(String(row['credential_id'])));
    return place < 0 ? answer : withRows(answer, rows.toSpliced(place, 1));
}
const with401As200: Spoil = (_request, answer) => (answer.status === 401 ? { ...answer, status: 200 } : answer);

/** Only where the path holds `part`. */
function at(part: string, spoil: Spoil): Spoil {
    return (request, answer, gateway) => (request.path.includes(part) ? spoil(request, answer, gateway) : answer);
}

/** Only from the third answer to the same request on. */
function later(spoil: Spoil): Spoil {
    const seen = new Map<string, number>();
    return (request, answer, gateway) => {
        const count = (seen.get(request.path) ?? 0) + 1;
        seen.set(request.path, count);
        return count > 2 ? spoil(request, answer, gateway) : answer;
    };
}

const logins = (prefix: string, spoil: Spoil): Spoil =>
    at('/auth/login', (request, answer, gateway) => {
        const { email } = request.body as { email: string }; // of a login
        return email.startsWith(prefix) ? spoil(request, answer, gateway) : answer;
    });

/** What a store may do wrong, and the invariant that it breaks. */
const FLAWS: ReadonlyArray<readonly [what: string, Invariant, Spoil]> = [
    ['loses a credential', 'I1', at('/by-issuer/', (_, answer) => withoutOneKept(answer))],
    [
        'changes a field',
        'I1',
        at('/by-issuer/', (_, answer) =>
            withRows(
                answer,
                rowsOf(answer).map((row) => ({ ...row, issued_at: '2026' })),
            ),
        ),
    ],
    ['loses a DID', 'I1', at('/v1/did/', (_, answer) => (answer.status === 200 ? { ...answer, status: 404 } : answer))],
    ['loses an account', 'I1', logins('person', (_, answer) => ({ ...answer, status: 401 }))],
    ['keeps half an account', 'I3', logins('person', (_, answer) => ({ ...answer, status: 401 }))],
    ['loses an entry of a wallet', 'I1', at('/wallets/open', (_, answer) => withoutOneKept(answer))],
    ['revives a revoked key', 'I2', at('/v1/did/', with401As200)],
    [
        'revives a revoked key at one gateway',
        'I2',
        at('/v1/did/', (request, answer, gateway) => (gateway === 1 ? with401As200(request, answer, 1) : answer)),
    ],
    ['revives a revoked key later', 'I5', later(at('/v1/did/', with401As200))],
    [
        'revives a revoked credential',
        'I2',
        at('/status/', (_, answer) => ({ ...answer, data: { ...answer.data, revoked: false } })),
    ],
    [
        'revives a revoked credential later',
        'I5',
        later(at('/status/', (_, answer) => ({ ...answer, data: { ...answer.data, revoked: false } }))),
    ],
    [
        'forgets why a credential was revoked',
        'I1',
        at('/status/', (_, { data, ...answer }) => ({ ...answer, data: { revoked: data['revoked'] } })),
    ],
    ['revives an ended session', 'I2', at('/v1/me', with401As200)],
    ['revives an earlier password', 'I2', logins('actor', with401As200)],
    [
        'counts wrongly',
        'I4',
        at('/v1/me/stats', (_, answer) => ({ ...answer, data: { ...answer.data, dids: { total: 0 } } })),
    ],
    ['says a wrong total', 'I4', at('/v1/keys?', (_, answer) => ({ ...answer, data: { ...answer.data, total: 0 } }))],
    [
        'shows what nobody asked for',
        'I4',
        at('/by-issuer/', (_, answer) =>
            withRows(answer, [...rowsOf(answer), { subject: 'did:web:stranger.example' }]),
        ),
    ],
    [
        'has a credential twice',
        'I5',
        at('/by-issuer/', (_, answer) => withRows(answer, [...rowsOf(answer), ...rowsOf(answer).slice(0, 1)])),
    ],
    ['is not healthy', 'I7', at('/internal/health', (_, answer) => ({ ...answer, data: { status: 'degraded' } }))],
];

describe('the checker, on what clients wrote of which a part was not acknowledged', () => {
    let service: TestService;
    let journal: Journal;
    const actors: Actor[] = [];
    let client: ReturnType<typeof httpClient>;

    before(async () => {
        service = await startService({
            transport: 'local',
            // npm test gives all three
            admin_url: process.env['TEST_ADMIN_URL'] as string,
            database_url: process.env['TEST_DATABASE_URL'] as string,
            redis_url: process.env['TEST_REDIS_URL'] as string,
            log_dir: dir,
            settings: { RATE_WINDOW_SECONDS: '1', UNKNOWN_KEY_LIMIT: '1000000' },
        });
        const ports = (service.env['E2E_URLS'] as string).split(',').map((url) => Number(new URL(url).port)); // given
        const secret = service.env['E2E_INTERNAL_SECRET'] as string; // given
        journal = openJournal(join(dir, 'journal.jsonl'));
        client = httpClient(ports, secret);
        for (let index = 0; index < CLIENTS; index++) {
            const { send } = unreliable(httpClient(ports, secret));
            actors.push(await newActor({ index, send, gateways: 2, journal }));
        }
        for (let turn = 0; !hasEverything(journal); turn++) {
            assert.ok(turn < MOST_TURNS, 'some kind of write never happens');
            await Promise.all(actors.map(doEverything));
        }
        for (const credentialId of keptCredentials(journal)) kept.add(credentialId);
    });
    after(async () => {
        journal.close();
        client.close();
        await service.stop();
    });

    const readBack = (spoil: Spoil): Promise<Violation[]> => {
        const send: Send = async (gateway, request) => {
            const outcome = await client.send(gateway, request);
            return 'status' in outcome ? { ...spoil(request, outcome, gateway), tookMs: outcome.tookMs } : outcome;
        };
        return check({ actors, journal, send, gateways: 2, mayLose: true });
    };

    it('finds nothing wrong with a service that has kept everything', async () => {
        assert.deepEqual(await readBack((_, answer) => answer), []);
    });

    for (const [what, invariant, spoil] of FLAWS) {
        it(`finds ${invariant} broken by a store that ${what}`, async () => {
            const violations = await readBack(spoil);
            const found = violations.filter((violation) => violation.invariant === invariant);
            assert.ok(found.length > 0, JSON.stringify(violations));
            if (invariant === 'I1' || invariant === 'I2') assert.ok(found.every(({ lost }) => lost !== undefined));
        });
    }
});

const CLIENTS = 2;
const MOST_TURNS = 30;
/** Each kind of write, those that need another after it. */
const EVERYTHING = [
    ...[issue, issue, issue, issue, revoke, present, registerDid, makeKey, makeKey, revokeKey],
    ...[openSession, openSession, refreshSession, endSession, openSession, changePassword, rename],
    ...[register, register, makeWallet, store, store, remove],
];

async function doEverything(actor: Actor): Promise<void> {
    for (const action of EVERYTHING) await action(actor);
}

/** By which a client opens its account; those succeed. */
const OPENING_CALLS = 4;

/** Some writes are not carried out, of some others the answer gets lost. */
function unreliable({ send, close }: ReturnType<typeof httpClient>): ReturnType<typeof httpClient> {
    let calls = 0;
    return {
        async send(gateway, request) {
            // A client whose change of the password was not acknowledged opens no more sessions.
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

/** Whether each kind of write was acknowledged, and a registration was carried out without being so. */
function hasEverything({ entries }: Journal): boolean {
    const done = new Set(entries.filter(({ outcome }) => isAcknowledged(outcome)).map(({ intent }) => intent.kind));
    const isInDoubt = ({ intent, outcome }: Entry): boolean =>
        intent.kind === 'register' && outcome !== undefined && 'lost' in outcome;
    const wanted = ['revoke', 'revoke-key', 'end-session', 'refresh', 'change-password', 'store', 'remove', 'present'];
    const isEachDone = wanted.every((kind) => done.has(kind as Entry['intent']['kind']));
    return isEachDone && entries.some(isInDoubt) && keptCredentials({ entries }).size > 0;
}

function keptCredentials({ entries }: Pick<Journal, 'entries'>): Set<string> {
    const ids = new Set<string>();
    for (const { intent, outcome } of entries) {
        if (intent.kind === 'store' && isAcknowledged(outcome)) ids.add(intent.credentialId);
        if (intent.kind === 'remove') ids.delete(intent.credentialId);
    }
    return ids;
}
