import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { z } from 'zod';
import { type CallContext, withIdempotencyKey } from '../../../platform/context.ts';
import { AppError } from '../../../platform/errors.ts';
import { sql } from '../../../platform/postgres/db.ts';
import { CreateRequest, DidServiceDefinition } from '../../../proto/gen/did/v1/did.ts';
import { approximateQuota } from '../../../services/approximate-quota.ts';
import { countsOf } from '../../../services/counts/counts.store.ts';
import { didService } from '../../../services/did/service.ts';
import { didStore } from '../../../services/did/store.ts';
import { pruneClaims } from '../../../services/idempotency/claims.store.ts';
import { testContext } from '../../support/harness.ts';
import { counted, refuses, requestBy, startIssuing } from '../credentials/credentials.fixture.ts';
import { AMPLE } from '../services/ample.ts';
import { reached } from '../services/reached.ts';

const { db, did, credentials, issuer, time, clock, idempotency, signatures } = await startIssuing();
const HOUR_MS = 3_600_000;

/** The context of a call of the issuer with a key. Each call has one of its own. */
const withKey = (key: string, context: CallContext = issuer.context) => withIdempotencyKey(context, key);
const issue = (key: string, changes = {}) => credentials.issue(requestBy(issuer, changes), withKey(key));

async function rowsOf(owner: 'credentials' | 'did'): Promise<number> {
    const table = sql.identifier([owner, 'idempotency']);
    const [row] = await db.rows(sql.type(z.strictObject({ count: z.number() }))`SELECT count(*) FROM ${table}`);
    return row?.count ?? 0;
}

test('a repeated issue returns the same token, writes one row, and counts once', async () => {
    const before = await counted(db, issuer.account, 'credentials_issued');
    const key = randomUUID();
    const [first, again] = [withKey(key), withKey(key)];
    const issued = await credentials.issue(requestBy(issuer), first);
    assert.deepEqual(await credentials.issue(requestBy(issuer), again), issued);
    assert.deepEqual([first.replay?.isReplay, again.replay?.isReplay], [false, true]);
    assert.equal(await counted(db, issuer.account, 'credentials_issued'), before + 1);
});

test('a key belongs to one request: claims count to the letter, absent fields do not count', async () => {
    const key = randomUUID();
    const issued = await issue(key);
    await refuses('unprocessable', issue(key, { claims: '{"role": "engineer"}' }));
    assert.deepEqual(await issue(key, { expiration_date: undefined }), issued);
});

test('requests are compared by value: one instant, two forms of a private key, and a default that is written out', async () => {
    const key = randomUUID();
    const issued = await issue(key, { expiration_date: '2100-01-01T00:00:00Z' });
    const { issuer_private_key } = requestBy(issuer);
    for (const changes of [
        { expiration_date: '2100-01-01T01:00:00.000+01:00' },
        { expiration_date: '2100-01-01', status_list: false },
        { expiration_date: '2100-01-01', is_first: true },
        { expiration_date: '2100-01-01', issuer_private_key: issuer_private_key?.subarray(0, 32) },
    ]) {
        assert.deepEqual(await issue(key, changes), issued);
    }
    await refuses('unprocessable', issue(key, { expiration_date: '2100-01-01T00:00:01Z' }));
});

test('calls with one key that arrive at once write one row and get the same answer', async () => {
    const key = randomUUID();
    const before = await counted(db, issuer.account, 'credentials_issued');
    const answers = await Promise.all(Array.from({ length: 50 }, () => issue(key)));
    assert.equal(new Set(answers.map(({ credential }) => credential)).size, 1);
    assert.equal(await counted(db, issuer.account, 'credentials_issued'), before + 1);
});

test('of two requests with one key that arrive at once, one is refused', async () => {
    const key = randomUUID();
    const calls = await Promise.allSettled([issue(key), issue(key, { subject_did: 'did:web:other.example' })]);
    assert.deepEqual(calls.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
});

test('a key of another account, or of another operation, is another key', async () => {
    const key = randomUUID();
    const first = await issue(key);
    const stranger = testContext();
    const second = await credentials.issue(requestBy(issuer), withKey(key, stranger));
    assert.notEqual(second.credential_id, first.credential_id);
    assert.equal((await did.create({}, withKey(key))).private_key?.length, 64);
});

test('a refused call leaves no claim, so its key can be used again', async () => {
    const key = randomUUID();
    const before = await rowsOf('credentials');
    await refuses('invalid', issue(key, { issuer_private_key: randomBytes(32) }));
    assert.equal(await rowsOf('credentials'), before);
    assert.ok((await issue(key)).credential);
});

test('a claim ends after the set hours, also at midnight, before the sweep has removed it', async () => {
    const key = randomUUID();
    const first = await issue(key);
    time.aheadMs = 23.9 * HOUR_MS;
    assert.deepEqual(await issue(key), first);
    time.aheadMs = 24.1 * HOUR_MS;
    const second = await issue(key);
    assert.notEqual(second.credential_id, first.credential_id);
    assert.deepEqual(await issue(key), second);
    await refuses('unprocessable', issue(key, { claims: '{}' }));
    time.aheadMs = 0;
});

test('the sweep removes the claims that have expired, and no others', async () => {
    await db.rows(sql.unsafe`
        INSERT INTO credentials.idempotency (scope_hash, fingerprint, id, made_at)
        SELECT uuid_send(gen_random_uuid()), '', gen_random_uuid(), now() - interval '25 hours'
        FROM generate_series(1, 25000)`);
    const key = randomUUID();
    const issued = await issue(key);
    const before = await rowsOf('credentials');
    assert.equal(await pruneClaims(db, 'credentials', 24), 25_000);
    assert.equal(await rowsOf('credentials'), before - 25_000);
    assert.deepEqual(await issue(key), issued);
});

test('a repeated DID returns the private key, whose row cannot be opened without the Idempotency-Key', async () => {
    const key = randomUUID();
    const first = await did.create({}, withKey(key));
    assert.deepEqual(await did.create({}, withKey(key)), first);
    await refuses('unprocessable', did.create({ public_key: first.public_key }, withKey(key)));
    await refuses('invalid', did.create({}, withKey('short')));
    const [row] = await db.rows(sql.type(z.strictObject({ sealed: z.instanceof(Buffer) }))`
        SELECT sealed FROM did.idempotency ORDER BY made_at DESC LIMIT 1`);
    assert.ok(first.private_key && row);
    assert.ok(!row.sealed.includes(Buffer.from(first.private_key.subarray(0, 32))));
});

test('a used-up quota refuses new DIDs and leaves no claim, but not a repeated call, however many arrive at once', async () => {
    const quota = approximateQuota('dids_created', { ...AMPLE, free: 3 }, countsOf(['did'], db));
    const limited = reached(
        DidServiceDefinition,
        didService({ store: didStore(db), signatures, quota, idempotency: idempotency('did'), clock }),
    );
    const account = testContext();
    const create = (key: string) => limited.create({}, withKey(key, account));
    const made: Array<[string, string]> = [];
    for (let turn = 0; turn < 3; turn++) {
        const key = randomUUID();
        const dids = await Promise.all(Array.from({ length: 8 }, () => create(key)));
        const [{ did } = { did: '' }] = dids;
        for (const one of dids) assert.equal(one.did, did);
        made.push([key, did]);
    }
    assert.equal(await counted(db, account.user_id ?? null, 'dids_created'), 3);
    const claims = await rowsOf('did');
    await refuses('forbidden', create(randomUUID()));
    assert.equal(await rowsOf('did'), claims);
    for (const [key, did] of made) assert.equal((await create(key)).did, did);
});

test('a call that its twin has left no place for gets the answer of the twin', async () => {
    const call = { operation: 'did.create', codec: CreateRequest, message: {} };
    const replay = ({ id }: { id: string }) => id;
    for (const refused of ['forbidden', 'conflict'] as const) {
        const key = randomUUID();
        const context = withKey(key, testContext());
        const claim = idempotency('did').claimOf(call, context);
        let twin: string | undefined;
        const write = async () => {
            twin = (await did.create({}, withKey(key, { ...context }))).did;
            throw new AppError(refused, 'There is no place.');
        };
        const answer = await idempotency('did').once(claim, { write, replay }, context);
        assert.ok(twin);
        assert.match(answer, /^[0-9a-f-]{36}$/);
        assert.equal(context.replay?.isReplay, true);
    }
});

test('a refusal stays a refusal if there is no twin', async () => {
    const context = withKey(randomUUID(), testContext());
    const call = { operation: 'did.create', codec: CreateRequest, message: {} };
    const claim = idempotency('did').claimOf(call, context);
    const write = async () => {
        throw new AppError('forbidden', 'There is no place.');
    };
    await refuses('forbidden', idempotency('did').once(claim, { write, replay: () => 'twin' }, context));
});
