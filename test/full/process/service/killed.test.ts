import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { Client } from 'pg';
import { createClient } from '../../../../client/src/client.ts';
import { rolesWithout } from '../../../support/members.ts';
import { startService, type TestService, type Transport } from '../../../support/service.ts';
import { KILLED_ROLES, killer } from './killer.ts';
import { BATCH_ITEMS, type KeyedCall, newCall, retryingClient, type Seen, type Signer, subjectOf } from './retrying.ts';

/** `npm run proof -- killed` makes this many calls over each transport, without those that are repeated. */
const CALLS = Number(process.env['KILLED_CALLS'] ?? 1_000);
/** Minimum number of kills over each transport. */
const KILLS = 3;
const CLIENTS = 16;
/** One call in this many is a batch, and one in three of the others creates a DID. */
const BATCH_EVERY = 100;

const logDir = mkdtempSync(join(tmpdir(), 'killed-'));
after(() => rmSync(logDir, { recursive: true }));

for (const transport of ['local', 'grpc'] as const) {
    it(`over ${transport}, calls that are repeated with a key run once, whenever processes are killed`, async () => {
        const bed = await startBed(transport);
        const seen: Seen = { answers: 0, lost: 0, unavailable: 0, partial: 0, faults: [] };
        const kills = killer(bed);
        const client = retryingClient(bed.urls, seen, kills.mayRefuse);
        const made = await makeCalls(bed, client, kills);
        assert.deepEqual(seen.faults, []);
        assert.ok(kills.state.count >= KILLS);
        await assertRows(bed, made);
        const { count, halfWritten } = kills.state;
        console.log(
            `${transport}: ${made.length} calls, ${count} kills, ${halfWritten} in the middle of a batch, ${JSON.stringify(seen)}`,
        );
        assert.ok(halfWritten > 0, 'a batch was half written when its process was killed');

        seen.unavailable = 0;
        await inParallel(made, async ({ call, answer }, index) => {
            const repeated = digestOf(await client.untilDone(call, index));
            if (repeated !== answer) seen.faults.push(`${call.kind} ${call.key}: another answer`);
        });
        assert.deepEqual(seen.faults, []);
        await assertRows(bed, made);
    });
}

interface Bed {
    transport: Transport;
    service: TestService;
    urls: string[];
    /** A connection as the service. */
    db: Client;
    signers: Signer[];
    /** Number of DIDs before the first call. */
    dids: number;
}

async function startBed(transport: Transport): Promise<Bed> {
    const service = await startService({
        transport,
        groups: [rolesWithout(...KILLED_ROLES)],
        // npm test sets all three
        adminUrl: process.env['TEST_ADMIN_URL'] as string,
        databaseUrl: process.env['TEST_DATABASE_URL'] as string,
        redisUrl: process.env['TEST_REDIS_URL'] as string,
        logDir,
        settings: { DATABASE_POOL: '4', SIGNATURE_THREADS: '1', PASSWORD_THREADS: '1', RATE_WINDOW_SECONDS: '1' },
    });
    after(() => service.stop());
    const { E2E_URLS = '', E2E_INTERNAL_SECRET: internalSecret = '', E2E_DATABASE_URL } = service.env;
    const urls = E2E_URLS.split(',');
    const admin = createClient({ base_url: urls[0] as string, internal_secret: internalSecret }); // there are two
    const signers = await Promise.all(Array.from({ length: CLIENTS }, (_, index) => newSigner(admin, index)));
    const db = new Client({ connectionString: E2E_DATABASE_URL });
    db.on('error', () => {}); // the database is dropped before the connection is closed
    await db.connect();
    after(() => db.end());
    const bed = { transport, service, urls, db, signers, dids: 0 };
    return { ...bed, dids: await countOf(bed, 'did.dids') };
}

async function newSigner(admin: ReturnType<typeof createClient>, index: number): Promise<Signer> {
    const account = { email: `client-${index}@example.com`, password: 'correct horse battery' };
    await admin.internal.auth.register(account);
    const session = await admin.internal.auth.login(account);
    const { api_key } = await admin.as({ token: session.token }).keys.generate({ name: 'key', tier: 'enterprise' });
    const { did, private_key = '' } = await admin.as({ token: api_key }).did.create();
    return { token: api_key, issuer_did: did, issuer_private_key: private_key };
}

/** A call that was answered, and the hash of its answer. */
interface Made {
    call: KeyedCall;
    answer: string;
}

const digestOf = (result: readonly string[]): string => hash('sha256', JSON.stringify(result), 'base64url');

/** All clients make calls until there are enough of them and of kills. */
async function makeCalls(
    bed: Bed,
    client: ReturnType<typeof retryingClient>,
    kills: ReturnType<typeof killer>,
): Promise<Made[]> {
    const made: Made[] = [];
    const isOver = () => made.length >= CALLS && kills.state.count >= KILLS;
    const killing = kills.runUntil(isOver);
    const work = async (signer: Signer, first: number): Promise<void> => {
        for (let turn = first * Math.floor(BATCH_EVERY / CLIENTS); !isOver() && !kills.state.hasFailed; turn++) {
            const call = newCall(turn % BATCH_EVERY === 0 ? 'batch' : turn % 3 === 0 ? 'did' : 'issue', signer);
            const onAttempt = (gateway: number) => call.kind === 'batch' && kills.batches.set(call, gateway);
            const answer = digestOf(await client.untilDone(call, first + turn, onAttempt));
            kills.batches.delete(call);
            made.push({ call, answer });
        }
    };
    await Promise.all(bed.signers.map(work));
    await killing;
    return made;
}

async function countOf({ db }: Pick<Bed, 'db'>, table: string): Promise<number> {
    return (await db.query(`SELECT count(*)::int AS count FROM ${table}`)).rows[0].count;
}

/** Asserts that each call has its rows, and that there are no others. */
async function assertRows(bed: Bed, made: readonly Made[]): Promise<void> {
    const { rows } = await bed.db.query<{ subject: string; count: number }>(
        'SELECT subject, count(*)::int AS count FROM credentials.credentials GROUP BY subject',
    );
    const issuing = made.filter(({ call }) => call.kind !== 'did');
    const wanted = issuing.map(({ call }) => [subjectOf(call), call.kind === 'batch' ? BATCH_ITEMS : 1] as const);
    assert.deepEqual(new Map(rows.map(({ subject, count }) => [subject, count])), new Map(wanted));
    const items = wanted.reduce((sum, [, count]) => sum + count, 0);
    assert.equal(await countOf(bed, 'credentials.idempotency'), items);
    const dids = bed.dids + made.length - issuing.length;
    assert.equal(await countOf(bed, 'did.dids'), dids);
    assert.equal(await countOf(bed, 'did.idempotency'), dids); // the typed client has sent keys for the first ones
    console.log(`${items} credentials of ${issuing.length} keys, ${made.length - issuing.length} DIDs`);
}

/** Runs `work` for each item, CLIENTS at a time. */
async function inParallel<Item>(items: readonly Item[], work: (item: Item, index: number) => Promise<void>) {
    const entries = items.entries();
    const run = async () => {
        for (const [index, item] of entries) await work(item, index);
    };
    await Promise.all(Array.from({ length: CLIENTS }, run));
}
