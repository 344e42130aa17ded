import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { withIdempotencyKey } from '../../../platform/context.ts';
import { sql } from '../../../platform/postgres/db.ts';
import { CredentialsServiceDefinition, type IssueItem } from '../../../proto/gen/credentials/v1/credentials.ts';
import { credentialsService } from '../../../services/credentials/service.ts';
import { counted, refuses } from '../credentials/credentials.fixture.ts';
import { keyOf, startBatches } from '../credentials/credentials-batches.fixture.ts';
import { reached } from '../services/reached.ts';

const { db, dependencies, did, signing, signatures, credentials, issuer, other, good } = await startBatches();

/** Items that differ from each other. */
const itemsOf = (count: number): IssueItem[] =>
    Array.from({ length: count }, (_, index) => ({ ...good, claims: `{"index":${index}}` }));

/** Issues a batch with a key. Returns its results, and whether it is a replay. */
async function issue(
    key: string,
    items: IssueItem[],
    { by = issuer, service = credentials, deadline = Infinity, refused = [] as number[] } = {},
) {
    const made = withIdempotencyKey(by.context, key);
    const context = { ...made, deadline: Math.min(made.deadline, deadline) };
    const { results } = await service.issueMany({ ...keyOf(by), items, refused_places: refused }, context);
    return { results, isReplay: context.replay?.isReplay };
}

async function rows(): Promise<number> {
    const [row] = await db.rows(
        sql.type(z.strictObject({ count: z.number() }))`SELECT count(*) FROM credentials.credentials`,
    );
    return row?.count ?? 0;
}
const claims = () => db.rows(sql.type(z.strictObject({ id: z.string() }))`SELECT id FROM credentials.idempotency`);

test('a repeated batch returns the same credentials, writes nothing, and counts nothing', async () => {
    const [key, items] = [randomUUID(), [...itemsOf(200), { ...good, subject_did: 'nobody' }]];
    const first = await issue(key, items);
    const before = [await rows(), await counted(db, issuer.account, 'credentials_issued')];
    const again = await issue(key, items);
    assert.deepEqual(again.results, first.results);
    assert.deepEqual([first.isReplay, again.isReplay], [false, true]);
    assert.deepEqual([await rows(), await counted(db, issuer.account, 'credentials_issued')], before);
});

test('equal items of one batch are different credentials', async () => {
    const [key, items] = [randomUUID(), [good, good, good]];
    const { results } = await issue(key, items);
    assert.equal(new Set(results.map(({ value }) => value?.credential_id)).size, 3);
    assert.deepEqual((await issue(key, items)).results, results);
});

test('a batch that was written in part is completed without duplicates', async () => {
    const [key, items] = [randomUUID(), itemsOf(100)];
    const before = await rows();
    const whole = await issue(key, items);
    const lost = whole.results.flatMap(({ value }, index) => (value && index % 3 === 0 ? [value.credential_id] : []));
    const ids = sql.array(
        lost.map((id) => id.replace('urn:uuid:', '')),
        'uuid',
    );
    await db.rows(sql.unsafe`DELETE FROM credentials.idempotency WHERE id = ANY(${ids})`);
    await db.rows(sql.unsafe`DELETE FROM credentials.credentials WHERE id = ANY(${ids})`);
    const completed = await issue(key, items);
    assert.equal(completed.isReplay, false);
    assert.equal(await rows(), before + 100);
    for (const [index, { value }] of completed.results.entries()) {
        const isNew = value?.credential_id !== whole.results[index]?.value?.credential_id;
        assert.equal(isNew, index % 3 === 0);
        if (!isNew) assert.deepEqual(value, whole.results[index]?.value);
    }
    assert.deepEqual(await issue(key, items), { results: completed.results, isReplay: true });
});

test('equal batches at once issue each item once', async () => {
    const [key, items] = [randomUUID(), itemsOf(50)];
    const before = await rows();
    const answers = await Promise.all(Array.from({ length: 5 }, () => issue(key, items)));
    for (const { results } of answers) assert.deepEqual(results, answers[0]?.results);
    assert.equal(await rows(), before + 50);
});

test('items that ran out of time, or were invalid, leave no claim', async () => {
    const hanging = {
        ...signatures,
        sign: async (...call: Parameters<typeof signatures.sign>) => {
            if (call[0].payload.includes('"index":1}')) await delay(60_000, undefined, { ref: false });
            return signatures.sign(...call);
        },
    };
    const deps = { ...dependencies, signatures: hanging, services: { did, signing }, listScope: 'owner' } as const;
    const service = reached(CredentialsServiceDefinition, credentialsService(deps));
    const key = randomUUID();
    const [one, two] = itemsOf(2) as [IssueItem, IssueItem];
    const [held, before] = [(await claims()).length, await rows()];
    const deadline = performance.now() + 2_500;
    const late = await issue(key, [one, two, { ...one, subject_did: 'nobody' }], { service, deadline });
    assert.deepEqual(
        late.results.map(({ failure }) => failure?.code),
        [undefined, 'deadline', 'invalid'],
    );
    assert.deepEqual([(await claims()).length, await rows()], [held + 1, before + 1]);
    const { results, isReplay } = await issue(key, [one, two, one]);
    assert.deepEqual(results[0], late.results[0]);
    assert.ok(results.every(({ value }) => value));
    assert.equal(isReplay, false);
    assert.equal(await rows(), before + 3);
});

test('another batch with the key is refused as a whole, and issues nothing', async () => {
    const [key, items] = [randomUUID(), itemsOf(3)];
    await issue(key, items);
    const before = await rows();
    const [added] = itemsOf(1) as [IssueItem];
    const changed = [...items.slice(0, 2), { ...good, claims: '{"index": 2}' }];
    await refuses('unprocessable', issue(key, [...changed, added]));
    await refuses('unprocessable', issue(key, items.toReversed()));
    const request = { ...keyOf(other), items, refused_places: [] };
    await refuses('unprocessable', credentials.issueMany(request, withIdempotencyKey(issuer.context, key)));
    assert.equal(await rows(), before);
});

test('a batch is refused as a whole if its caller refuses an item that was issued', async () => {
    const [key, [first, second]] = [randomUUID(), itemsOf(2) as [IssueItem, IssueItem]];
    await issue(key, [{ ...first, place: 1 }], { refused: [0] });
    const before = await rows();
    await refuses('unprocessable', issue(key, [{ ...second, place: 0 }], { refused: [1] }));
    await refuses('unprocessable', issue(key, [], { refused: [0, 1] }));
    assert.equal(await rows(), before);
    const { results } = await issue(key, [
        { ...second, place: 0 },
        { ...first, place: 1 },
    ]);
    assert.equal(results.filter(({ value }) => value).length, 2);
    assert.equal(await rows(), before + 1);
});

test('items with the same place are refused', async () => {
    const [first, second] = itemsOf(2) as [IssueItem, IssueItem];
    const before = await rows();
    await refuses('invalid', issue(randomUUID(), [first, { ...second, place: 0 }]));
    await refuses('invalid', issue(randomUUID(), [first], { refused: [0] }));
    assert.equal(await rows(), before);
});

test('the key of another account is another key', async () => {
    const [key, items] = [randomUUID(), itemsOf(2)];
    const before = await rows();
    await issue(key, items);
    await issue(key, items, { by: other });
    assert.equal(await rows(), before + 4);
});

test('a malformed key is refused before anything is issued', async () => {
    const before = await rows();
    await refuses('invalid', issue('"', itemsOf(2)));
    assert.equal(await rows(), before);
});
