import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { withIdempotencyKey } from '../../../platform/context.ts';
import { AppError } from '../../../platform/errors.ts';
import { sql } from '../../../platform/postgres/db.ts';
import { CredentialsServiceDefinition } from '../../../proto/gen/credentials/v1/credentials.ts';
import { PresentationsServiceDefinition } from '../../../proto/gen/presentations/v1/presentations.ts';
import { approximateQuota } from '../../../services/approximate-quota.ts';
import { countsOf } from '../../../services/counts/counts.store.ts';
import type { Counting } from '../../../services/counts/pending.store.ts';
import { credentialsService } from '../../../services/credentials/service.ts';
import { presentationsService } from '../../../services/presentations/service.ts';
import { presentationStore } from '../../../services/presentations/store.ts';
import { internalContext, newParty, type Party, refuses, requestBy } from '../credentials/credentials.fixture.ts';
import { keyOf, startBatches } from '../credentials/credentials-batches.fixture.ts';
import { reached, testCursors } from './reached.ts';

const { db, did, signing, credentials, dependencies, idempotency, signatures, clock, good } = await startBatches();
const of = (free: number) => ({ free, basic: 2 * free, pro: 1e6, enterprise: 1e6 });

/** The counts of a service as one process reads them. `looks` are its readings; `settled` resolves when all have ended. */
function countsInProcess(counting: Counting) {
    const state = { fails: false };
    const looks: Array<Promise<unknown>> = [];
    const { amounts: read } = countsOf([counting], db);
    const amounts: typeof read = (account, lifetime) => {
        const failed = () => Promise.reject(new AppError('unavailable', 'PostgreSQL is away.', { reason: 'database' }));
        const look = state.fails ? failed() : read(account, lifetime);
        looks.push(look);
        return look;
    };
    return { counts: { amounts }, looks, state, settled: () => Promise.allSettled(looks) };
}

/** A credentials service with this quota, as in a process of its own. Its calls wait for its looks. */
function processOf(free: number) {
    const { counts, settled, ...rest } = countsInProcess('credentials');
    const service = reached(
        CredentialsServiceDefinition,
        credentialsService({
            ...dependencies,
            services: { did, signing },
            listScope: 'owner',
            quota: approximateQuota('credentials_issued', of(free), counts),
        }),
    );
    const issue = async (party: Party, context = party.context) => {
        const answer = await service.issue(requestBy(party), context);
        await settled();
        return answer;
    };
    return { ...rest, service, issue, settled };
}

async function rowsOf(account: string): Promise<number> {
    const [row] = await db.rows(
        sql.type(
            z.strictObject({ rows: z.number() }),
        )`SELECT count(*) AS rows FROM credentials.credentials WHERE account = ${account}`,
    );
    return row?.rows ?? 0;
}

/** Calls until one is refused because of a quota. Fails if none of 60 calls is. */
async function untilRefused(name: RegExp, call: (turn: number) => Promise<unknown>): Promise<void> {
    for (let turn = 0; turn < 60; turn++) {
        try {
            await call(turn);
        } catch (error) {
            assert.ok(error instanceof AppError && error.kind === 'forbidden', String(error));
            assert.match(error.message, name);
            return;
        }
    }
    assert.fail('no call was refused');
}

describe('the quota of credentials', () => {
    it('refuses an account in every process once it is reached, not before, and no other account', async () => {
        const processes = [processOf(20), processOf(20)] as const;
        const [full, other] = [await newParty(did), await newParty(did)];
        for (const [tier, most] of [
            ['free', 20],
            ['basic', 40],
        ] as const) {
            const context = { ...full.context, tier };
            const issue = (turn: number) => (turn % 2 === 0 ? processes[0] : processes[1]).issue(full, context);
            await untilRefused(new RegExp(`^The account has reached its quota of ${most} credentials\\.$`), issue);
            const rows = await rowsOf(full.account);
            assert.equal(rows, most);
            const quotas = await processes[0].service.getQuotas({}, context);
            assert.deepEqual(quotas, { credentials: { used: rows, limit: most } });
        }
        for (const { issue } of processes) {
            await refuses('forbidden', issue(full));
            await issue(other);
        }
    });

    it('refuses each item of a batch that writes, and a repeated call gets its credential', async () => {
        const { service, issue, settled } = processOf(3);
        const party = await newParty(did);
        const [one, many] = [randomUUID(), randomUUID()];
        const batch = { ...keyOf(party), items: [good, good], refused_places: [] };
        const first = await issue(party, withIdempotencyKey(party.context, one));
        const created = await service.issueMany(batch, withIdempotencyKey(party.context, many));
        await settled();
        await untilRefused(/quota of 3 credentials/, () => issue(party));
        const items = [good, { ...good, subject_did: 'nobody' }, good];
        const { results } = await service.issueMany({ ...batch, items }, party.context);
        const codes = results.map(({ failure }) => failure?.code);
        assert.deepEqual(codes, ['forbidden', 'invalid', 'forbidden']);
        assert.equal(results[0]?.failure?.error, 'The account has reached its quota of 3 credentials.');
        assert.deepEqual(await issue(party, withIdempotencyKey(party.context, one)), first);
        assert.deepEqual(await service.issueMany(batch, withIdempotencyKey(party.context, many)), created);
        await refuses('forbidden', issue(party, withIdempotencyKey(party.context, randomUUID())));
    });

    it('far from its end costs one look per 64th part of what is left, and none for calls without an account', async () => {
        const { service, looks, issue } = processOf(6_400);
        const party = await newParty(did);
        for (let turn = 0; turn < 250; turn++) await issue(party);
        assert.equal(looks.length, 3, 'at the first call, after 100 more and after 98 or 99 more');
        await service.issue(requestBy(party), internalContext());
        assert.equal(looks.length, 3);
    });

    it('admits calls while PostgreSQL does not say how many there are, and refuses them once it answers', async () => {
        const [far, near] = [processOf(256), processOf(2)];
        const party = await newParty(did);
        for (const { state, looks, issue } of [far, near]) {
            state.fails = true;
            for (let turn = 0; turn < 5; turn++) await issue(party);
            assert.equal(looks.length, 5, 'each call looks again');
            state.fails = false;
        }
        await refuses('forbidden', near.issue(party));
        for (let turn = 0; turn < 2; turn++) await far.issue(party);
        assert.equal(far.looks.length, 6, 'as many are left that not each call looks');
    });
});

it('the quota of presentations refuses an account, but not a repeated call', async () => {
    const { counts, settled } = countsInProcess('presentations');
    const service = reached(
        PresentationsServiceDefinition,
        presentationsService({
            store: presentationStore(db),
            signatures,
            services: { credentials, signing },
            idempotency: idempotency('presentations'),
            quota: approximateQuota('presentations_created', of(2), counts),
            cursors: testCursors,
            clock,
        }),
    );
    const holder = await newParty(did);
    const { credential } = await credentials.issue(requestBy(holder), holder.context);
    const create = async (key = randomUUID()) => {
        const presented = { credentials: [credential], audience: 'did:web:verifier.example' };
        const request = { holder_did: holder.did, holder_private_key: holder.private_key, ...presented };
        const answer = await service.create(request, withIdempotencyKey(holder.context, key));
        await settled();
        return answer;
    };
    const key = randomUUID();
    const first = await create(key);
    await untilRefused(/^The account has reached its quota of 2 presentations\.$/, () => create());
    assert.deepEqual(await create(key), first);
    const { presentations } = await service.getQuotas({}, holder.context);
    assert.ok(presentations && presentations.used >= 2 && presentations.limit === 2);
    await refuses('unauthenticated', service.getQuotas({}, internalContext()));
});
