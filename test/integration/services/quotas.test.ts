import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { z } from 'zod';
import { AppError } from '../../../platform/errors.ts';
import { sql } from '../../../platform/postgres/db.ts';
import { DidServiceDefinition } from '../../../proto/gen/did/v1/did.ts';
import { approximateQuota } from '../../../services/approximate-quota.ts';
import { countsOf } from '../../../services/counts/counts.store.ts';
import { didService } from '../../../services/did/service.ts';
import { didStore } from '../../../services/did/store.ts';
import type { Quota } from '../../../services/quotas.ts';
import { testContext, testRedis } from '../../support/harness.ts';
import { internalContext, newParty } from '../credentials/credentials.fixture.ts';
import { buildKeys } from '../keys/keys.fixture.ts';
import { CHEAP, issue, PASSWORD, startWallets } from '../wallet/wallet.fixture.ts';
import { AMPLE } from './ample.ts';
import { reached } from './reached.ts';
import { testIdempotency } from './test-idempotency.ts';

const services = await startWallets();
const { db, did, signing, signatures } = services;
const longContext = (changes: Parameters<typeof testContext>[0] = {}) =>
    testContext({ deadline: Number.POSITIVE_INFINITY, ...changes });

const of = (free: number): Quota => ({ free, basic: 2 * free, pro: 1e6, enterprise: 1e6 });
/** A did service with this quota, as in a process of its own. */
const didsOf = (quota: Quota) =>
    reached(
        DidServiceDefinition,
        didService({
            store: didStore(db),
            signatures,
            quota: approximateQuota('dids_created', quota, countsOf(['did'], db)),
            idempotency: testIdempotency(db)('did'),
            clock: Date.now,
        }),
    );

/** Returns how many of the calls succeed. The others must be refused with an error that matches `name`. */
async function allowed(calls: Array<Promise<unknown>>, name: RegExp): Promise<number> {
    const results = await Promise.allSettled(calls);
    for (const result of results) {
        if (result.status === 'fulfilled') continue;
        assert.ok(result.reason instanceof AppError && result.reason.kind === 'forbidden', String(result.reason));
        assert.match(result.reason.message, name);
    }
    return results.filter(({ status }) => status === 'fulfilled').length;
}

const times = <Item>(count: number, make: (index: number) => Item): Item[] =>
    Array.from({ length: count }, (_, index) => make(index));

test('an account gets as many DIDs as its tier allows, over all processes, and no more after a burst', async () => {
    const processes = [didsOf(of(7)), didsOf(of(7))];
    for (const [tier, most] of [
        ['free', 7],
        ['basic', 14],
    ] as const) {
        const context = longContext({ tier });
        const create = (turn: number) => (processes[turn % 2] ?? did).create({}, context);
        for (let turn = 0; turn < most; turn++) await create(turn);
        const name = /^The account has reached its quota of \d+ DIDs\.$/;
        assert.equal(await allowed(times(20, create), name), 0);
        assert.deepEqual(await processes[0]?.getQuotas({}, context), { dids: { used: most, limit: most } });

        const busy = longContext({ tier });
        await Promise.all(times(most, (turn) => processes[turn % 2]?.create({}, busy)));
        assert.equal(
            await allowed(
                [0, 1].map((turn) => processes[turn]?.create({}, busy) ?? Promise.resolve()),
                name,
            ),
            0,
        );
    }
});

test('a refused DID does not affect the DIDs of other accounts', async () => {
    const service = didsOf(of(1));
    const full = longContext();
    await service.create({}, full);
    const others = times(20, () => longContext());
    const calls = others.flatMap((context) => [service.create({}, context), service.create({}, full)]);
    assert.equal(await allowed(calls, /quota of 1 DIDs/), 20);
    for (const context of others) assert.equal((await service.getQuotas({}, context)).dids?.used, 1);
});

test('a DID that exists uses no quota, and DIDs of wallets or without an account have no quota', async () => {
    const service = didsOf(of(1));
    const context = longContext();
    const publicKey = randomBytes(32);
    const register = () => service.create({ public_key: publicKey }, context);
    await Promise.all(times(5, register));
    for (let n = 0; n < 3; n++) await service.recordForWallet({ public_key: randomBytes(32) }, context);
    for (let n = 0; n < 3; n++) await service.create({}, internalContext());
    assert.equal((await service.getQuotas({}, context)).dids?.used, 1);
    assert.equal(await allowed([service.create({}, context)], /quota/), 0);
    assert.equal(await allowed([register()], /quota/), 1);
});

test('the total number of keys is bounded, revoked ones included, and a refusal names its bound', async () => {
    const keys = buildKeys({ db, redis: await testRedis() }, { keyLimits: of(2), keyQuota: of(5) });
    const context = longContext();
    const generate = () => keys.generate({ name: 'key' }, context);
    for (let round = 0; round < 2; round++) {
        const made = [await generate(), await generate()];
        assert.equal(await allowed([generate()], /^The account has reached its limit of 2 active API keys\.$/), 0);
        for (const { key_id } of made) await keys.revoke({ key_id }, context);
    }
    const name =
        /^The account has reached its (quota of 5 API keys, revoked ones included|limit of 2 active API keys)\.$/;
    assert.equal(await allowed(times(8, generate), name), 1);
    assert.deepEqual(await keys.getQuotas({}, context), {
        active: { used: 1, limit: 2 },
        all: { used: 5, limit: 5 },
    });
    assert.equal(await allowed([generate()], /quota of 5 API keys, revoked ones included/), 0);
});

const walletsOf = (quotas: { wallets?: Quota; credentials?: Quota; bytes?: Quota }) =>
    services.open(
        CHEAP,
        { did, signing },
        {
            wallets: approximateQuota('wallets', quotas.wallets ?? AMPLE, countsOf(['wallet'], db)),
            credentials: approximateQuota('wallet_credentials', quotas.credentials ?? AMPLE, countsOf(['wallet'], db)),
            bytes: approximateQuota('wallet_bytes', quotas.bytes ?? AMPLE, countsOf(['wallet'], db)),
        },
    );
const ample = walletsOf({});

test('an account gets as many wallets as its tier allows, over all processes', async () => {
    const processes = [walletsOf({ wallets: of(3) }), walletsOf({ wallets: of(3) })];
    const context = longContext();
    const create = (turn: number) =>
        (processes[turn % 2] ?? services.wallets).create({ name: 'w', password: PASSWORD }, context);
    for (let turn = 0; turn < 3; turn++) await create(turn);
    const before = services.derived.length;
    assert.equal(await allowed(times(12, create), /^The account has reached its quota of 3 wallets\.$/), 0);
    assert.equal(services.derived.length, before, 'no key is derived for a wallet that is refused');
    assert.deepEqual((await processes[0]?.getQuotas({}, context))?.wallets, { used: 3, limit: 3 });
});

test('the number of credentials in wallets is bounded; deleting one makes room, replacing one needs none', async () => {
    const service = walletsOf({ credentials: of(3) });
    const { access, context } = await services.newWallet(longContext());
    const issuer = await newParty(did);
    const tokens = await Promise.all(times(5, () => issue(services, issuer)));
    const add = (turn: number) =>
        service.addCredential({ ...access, credential: tokens[turn]?.credential ?? '' }, context);
    for (const turn of [0, 1, 2]) await add(turn);
    const name = /^The account has reached its quota of 3 credentials in wallets\.$/;
    assert.equal(await allowed([add(3), add(4)], name), 0);
    await add(0);
    await service.deleteCredential({ ...access, credential_id: tokens[0]?.credential_id ?? '' }, context);
    await add(3);
    assert.equal(await allowed([add(0), add(4)], name), 0);
    assert.deepEqual((await service.getQuotas({}, context)).credentials, { used: 3, limit: 3 });
});

/** The number of wallets, credentials and bytes of the account, counted from its rows. */
async function held(account: string | undefined) {
    const [row] = await db.rows(sql.type(z.record(z.enum(['wallets', 'credentials', 'bytes']), z.number()))`
        SELECT count(DISTINCT w.id) AS wallets, count(c.wallet) AS credentials,
               coalesce(sum(octet_length(c.sealed)), 0)::bigint AS bytes
        FROM wallet.wallets AS w LEFT JOIN wallet.credentials AS c ON c.wallet = w.id WHERE w.account = ${account ?? null}`);
    return row;
}

test('the bytes of credentials in wallets are bounded, and a replacement counts with its new size', async () => {
    const { access, context } = await services.newWallet(longContext());
    const { credential } = await issue(services, services.issuer);
    const put = (metadata: string, service = ample) =>
        service.addCredential({ ...access, credential, metadata }, context);
    const used = async () => (await ample.getQuotas({}, context)).bytes?.used ?? 0;
    await put('{}');
    const small = await used();
    await put(JSON.stringify({ text: 'x'.repeat(5_000) }));
    assert.ok((await used()) > small + 5_000);
    await put('{}');
    assert.equal(await used(), small);
    const bounded = walletsOf({ bytes: of(small + 1_000) });
    const more = put(JSON.stringify({ text: 'x'.repeat(1_001) }), bounded);
    assert.equal(await allowed([more], /quota of \d+ bytes of credentials in wallets\.$/), 0);
    assert.equal(await used(), small, 'a refused credential is not written');
    await put(JSON.stringify({ text: 'x'.repeat(500) }), bounded);
    const [row, quotas] = [await held(context.user_id), await ample.getQuotas({}, context)];
    assert.deepEqual([quotas.credentials?.used, quotas.bytes?.used], [row?.credentials, row?.bytes]);
});

test('the counts equal the rows after concurrent writes, replacements and deletions', async () => {
    const context = longContext();
    const { access } = await services.newWallet(context);
    const tokens = await Promise.all(times(6, () => issue(services, services.issuer)));
    const work = times(60, (index) => {
        const { credential, credential_id } = tokens[index % tokens.length] ?? { credential: '', credential_id: '' };
        const metadata = JSON.stringify({ text: 'x'.repeat((index * 37) % 400) });
        return index % 3 === 2
            ? ample.deleteCredential({ ...access, credential_id }, context)
            : ample.addCredential({ ...access, credential, metadata }, context);
    });
    for (const result of await Promise.allSettled(work)) {
        if (result.status === 'rejected') assert.equal(result.reason.kind, 'not_found'); // deleted before it was stored
    }
    const quotas = await ample.getQuotas({}, context);
    assert.deepEqual(
        { wallets: quotas.wallets?.used, credentials: quotas.credentials?.used, bytes: quotas.bytes?.used },
        { ...(await held(context.user_id)) },
    );
});

test('getQuotas is refused without an account', async () => {
    const nobody = internalContext();
    for (const call of [didsOf(of(1)).getQuotas({}, nobody), ample.getQuotas({}, nobody)]) {
        await assert.rejects(call, (error) => error instanceof AppError && error.kind === 'unauthenticated');
    }
});
