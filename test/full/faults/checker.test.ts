import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { startService, type TestService } from '../../support/service.ts';
import { check } from './check/checker.ts';
import type { Invariant, Violation } from './check/violation.ts';
import { keptCredentials, writeUnreliably } from './checker.fixture.ts';
import type { Actor } from './load/actor.ts';
import { type Answer, type Data, httpClient, type Request, type Send } from './load/calls.ts';
import { type Journal, openJournal } from './load/journal.ts';

const dir = mkdtempSync(join(tmpdir(), 'checker-'));
after(() => rmSync(dir, { recursive: true }));

/** Falsifies the answer to a request. `gateway` is the index of the gateway that answered. */
type Spoil = (request: Request, answer: Answer, gateway: number) => Answer;

const rowsOf = ({ data }: Answer, field = 'credentials'): Data[] => data[field] as Data[]; // its documented type
const withRows = (answer: Answer, rows: Data[], field = 'credentials'): Answer => ({
    ...answer,
    data: { ...answer.data, [field]: rows, total: rows.length },
});
/** Ids of credentials that were certainly issued, stored in a wallet and not removed from it. */
const kept = new Set<string>();
function withoutOneKept(answer: Answer): Answer {
    const rows = rowsOf(answer);
    const place = rows.findIndex((row) => kept.has(String(row['credential_id'])));
    return place < 0 ? answer : withRows(answer, rows.toSpliced(place, 1));
}
const with401As200: Spoil = (_request, answer) => (answer.status === 401 ? { ...answer, status: 200 } : answer);

/** Applies `spoil` only to paths that contain `part`. */
function at(part: string, spoil: Spoil): Spoil {
    return (request, answer, gateway) => (request.path.includes(part) ? spoil(request, answer, gateway) : answer);
}

/** Applies `spoil` only from the third answer to the same path on. */
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
        const { email } = request.body as { email: string }; // the body of a login
        return email.startsWith(prefix) ? spoil(request, answer, gateway) : answer;
    });

/** Flaws of a store, each with the invariant that it breaks. */
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
    ['keeps only half of an account', 'I3', logins('person', (_, answer) => ({ ...answer, status: 401 }))],
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
        'loses the reason of a revocation',
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
    [
        'returns a wrong total',
        'I4',
        at('/v1/keys?', (_, answer) => ({ ...answer, data: { ...answer.data, total: 0 } })),
    ],
    [
        'lists a credential that no client requested',
        'I4',
        at('/by-issuer/', (_, answer) =>
            withRows(answer, [...rowsOf(answer), { subject: 'did:web:stranger.example' }]),
        ),
    ],
    [
        'lists a credential twice',
        'I5',
        at('/by-issuer/', (_, answer) => withRows(answer, [...rowsOf(answer), ...rowsOf(answer).slice(0, 1)])),
    ],
    ['is not healthy', 'I7', at('/internal/health', (_, answer) => ({ ...answer, data: { status: 'degraded' } }))],
];

describe('the checker, after writes that were not all acknowledged,', () => {
    let service: TestService;
    let journal: Journal;
    let actors: Actor[];
    let client: ReturnType<typeof httpClient>;

    before(async () => {
        service = await startService({
            transport: 'local',
            // npm test sets all three
            adminUrl: process.env['TEST_ADMIN_URL'] as string,
            databaseUrl: process.env['TEST_DATABASE_URL'] as string,
            redisUrl: process.env['TEST_REDIS_URL'] as string,
            logDir: dir,
            settings: { RATE_WINDOW_SECONDS: '1', UNKNOWN_KEY_LIMIT: '1000000' },
        });
        // startService() sets both.
        const ports = (service.env['E2E_URLS'] as string).split(',').map((url) => Number(new URL(url).port));
        const secret = service.env['E2E_INTERNAL_SECRET'] as string;
        journal = openJournal(join(dir, 'journal.jsonl'));
        client = httpClient(ports, secret);
        actors = await writeUnreliably(ports, secret, journal);
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

    it('finds no violation in a service that has kept everything', async () => {
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
