import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { guard } from '../../../platform/access/guard.ts';
import { livenessMarks } from '../../../platform/access/liveness-marks.ts';
import { AppError } from '../../../platform/errors.ts';
import { sql } from '../../../platform/postgres/db.ts';
import { SERVICE_DEFINITIONS } from '../../../proto/services.ts';
import { findDrift } from '../../../services/counts/drift.store.ts';
import type { ErasedServices } from '../../../services/identity/erasure/erased-services.ts';
import { finishErasures } from '../../../services/identity/erasure/finish-erasures.ts';
import { identityStore } from '../../../services/identity/store.ts';
import { testContext } from '../../support/harness.ts';
import { PASSWORD, SHARDS } from '../identity/identity.fixture.ts';
import { NEW_PASSWORD, passwordFixture } from '../identity/identity-password.fixture.ts';

const fixture = await passwordFixture();
const { db, redis, identity, build, caller, change, tryLogin, introspect, liveSessions, markOf } = fixture;

const unavailable = new AppError('unavailable', 'It is away.', { retry_after: 1, reason: 'test' });

const erasureRow = z.strictObject({
    ended_at: z.string().nullable(),
    finished_at: z.string().nullable(),
    actor: z.string(),
});
const erasureOf = (account: string | undefined) =>
    db.rows(sql.type(erasureRow)`
        SELECT ended_at, finished_at, actor FROM identity.erasures WHERE account = ${account ?? null}`);

/** A service of keys that notes whose keys it erases. */
function keysOf() {
    const erased: string[] = [];
    const keys = { eraseAccount: async ({ user_id }: { user_id: string }) => ({ done: erased.push(user_id) > 0 }) };
    return { keys, erased };
}

/** Keys that a call cannot end. */
const AWAY = { eraseAccount: () => Promise.reject(new AppError('internal', 'It is old.')) };

const marks = livenessMarks({ redis, shards: SHARDS });

/** Runs the job, in which no service but that of keys has anything to erase. */
function runJob(keys: ErasedServices['keys']): Promise<void> {
    const nothing = { eraseAccount: async () => ({ done: true }) };
    const services = Object.fromEntries(Object.keys(SERVICE_DEFINITIONS).map((role) => [role, nothing]));
    return finishErasures({
        db,
        store: identityStore(db),
        guard: guard({ redis, shards: SHARDS }),
        livenessMarks: marks,
        services: { ...services, keys } as unknown as ErasedServices, // it has all of them
        clock: Date.now,
    });
}

/** Lets an erasure look as if its last step had been a minute ago. */
function age(account: string | undefined): Promise<unknown> {
    return db.rows(sql.unsafe`
        UPDATE identity.erasures
        SET requested_at = requested_at - interval '1 minute', ended_at = ended_at - interval '1 minute'
        WHERE account = ${account ?? null}`);
}

type Caller = Awaited<ReturnType<typeof caller>>;

/** Checks that the erasure is noted, and that the account still works. */
async function expectDecided({ email, session, session_id, context }: Caller): Promise<void> {
    const noted = { ended_at: null, finished_at: null, actor: `session:${session_id}` };
    assert.deepEqual(await erasureOf(context.user_id), [noted]);
    assert.equal((await introspect(session.token)).email, email);
}

/** Checks that the account does not work any more. */
async function expectEnded({ email, session, session_id, context }: Caller): Promise<void> {
    const [{ ended_at, actor } = assert.fail('the erasure is not noted')] = await erasureOf(context.user_id);
    assert.notEqual(ended_at, null);
    assert.equal(actor, `session:${session_id}`);
    assert.equal(await markOf(session.token), 'R');
    await assert.rejects(introspect(session.token), { kind: 'unauthenticated' });
    await assert.rejects(tryLogin(email, PASSWORD), { kind: 'unauthenticated' });
}

/** Checks that the account is as it was. */
async function expectUntouched({ email, session, context }: Awaited<ReturnType<typeof caller>>): Promise<void> {
    assert.deepEqual(await erasureOf(context.user_id), []);
    assert.equal((await introspect(session.token)).email, email);
    assert.ok((await tryLogin(email, PASSWORD)).session);
}

describe('DeleteAccount', () => {
    it('ends all sessions, refuses the login like that of an unknown account, and frees the address', async () => {
        const [ada, eve] = [await caller(), await caller()];
        const second = (await tryLogin(ada.email, PASSWORD)).session;
        const asked: string[] = [];
        const keys = {
            eraseAccount: async ({ user_id }: { user_id: string }, { trusted }: { trusted: boolean }) => {
                assert.equal(trusted, true);
                return { done: asked.push(user_id) === 3 };
            },
        };
        const answer = await build({ keys }).deleteAccount({ password: PASSWORD }, ada.context);
        assert.equal(answer.user_id, ada.context.user_id);
        assert.deepEqual(asked, Array(3).fill(ada.context.user_id));
        const actor = `session:${ada.context.session_id}`;
        const noted = { ended_at: answer.erased_at, finished_at: null, actor };
        assert.deepEqual(await erasureOf(ada.context.user_id), [noted]);
        for (const token of [ada.session.token, second?.token ?? '']) {
            assert.equal(await markOf(token), 'R');
            await assert.rejects(introspect(token), { kind: 'unauthenticated' });
        }
        assert.deepEqual(await liveSessions(ada.context.user_id), []);
        await assert.rejects(identity.refresh({ refresh_token: ada.session.refresh_token }, testContext()), {
            kind: 'unauthenticated',
        });
        const unknown = await tryLogin('nobody@example.org', PASSWORD).catch((error: unknown) => error);
        const erased = await tryLogin(ada.email, PASSWORD).catch((error: unknown) => error);
        assert.deepEqual(erased, unknown);
        await assert.rejects(identity.getUser({}, ada.context), { kind: 'not_found' });
        const again = await identity.register({ email: ada.email, password: NEW_PASSWORD }, testContext());
        assert.notEqual(again.user_id, ada.context.user_id);
        await expectUntouched(eve);
        assert.deepEqual(await findDrift(() => [db]), []);
    });

    it('refuses a wrong password, and after too many of them any password', async () => {
        const ada = await caller();
        for (let attempt = 0; attempt < 10; attempt++)
            await assert.rejects(identity.deleteAccount({ password: 'wrong' }, ada.context), {
                kind: 'unauthenticated',
            });
        await assert.rejects(identity.deleteAccount({ password: PASSWORD }, ada.context), { kind: 'rate_limited' });
        await assert.rejects(identity.deleteAccount({ password: 'x'.repeat(1_025) }, ada.context), { kind: 'invalid' });
        await expectUntouched({ ...ada, email: ada.email });
    });

    it('is decided if the keys service cannot be told: its owner may repeat it', async () => {
        const ada = await caller();
        await assert.rejects(build({ keys: AWAY }).deleteAccount({ password: PASSWORD }, ada.context), {
            kind: 'unavailable',
            reason: 'keys',
        });
        await expectDecided(ada);
        await identity.deleteAccount({ password: PASSWORD }, ada.context);
        await expectEnded(ada);
    });

    it('is decided if the gateways cannot be told: its owner may repeat it', async () => {
        const ada = await caller();
        const away = build({ livenessMarks: { ...marks, refuse: async () => unavailable } });
        await assert.rejects(away.deleteAccount({ password: PASSWORD }, ada.context), {
            kind: 'unavailable',
            reason: 'redis',
        });
        await expectDecided(ada);
        await identity.deleteAccount({ password: PASSWORD }, ada.context);
        await expectEnded(ada);
    });

    it('ends complete without its owner if the call is cut off after the decision', async () => {
        const [ada, eve] = [await caller(), await caller()];
        for (const { context } of [ada, eve])
            await assert.rejects(build({ keys: AWAY }).deleteAccount({ password: PASSWORD }, context));
        const { keys, erased } = keysOf();
        await age(ada.context.user_id);
        await runJob(keys);
        assert.deepEqual(erased, [ada.context.user_id]);
        await expectEnded(ada);
        await expectDecided(eve); // its call may still run
        await runJob(keys);
        assert.equal((await erasureOf(ada.context.user_id))[0]?.finished_at, null, 'its calls may still run');
        await age(ada.context.user_id);
        await runJob(keys);
        assert.notEqual((await erasureOf(ada.context.user_id))[0]?.finished_at, null);
        assert.deepEqual(await findDrift(() => [db]), []);
    });

    it('does nothing, and keeps the API keys, if the password changes meanwhile', async () => {
        const ada = await caller();
        const { keys, erased } = keysOf();
        const verified = async () => void (await change(ada.context));
        await assert.rejects(build({ keys, verified }).deleteAccount({ password: PASSWORD }, ada.context), {
            kind: 'unauthenticated',
        });
        assert.deepEqual(erased, []);
        assert.deepEqual(await erasureOf(ada.context.user_id), []);
        assert.ok((await tryLogin(ada.email, NEW_PASSWORD)).session);
    });

    it('is decided when the API keys end: a password that is changed then does not stop it', async () => {
        const ada = await caller();
        const keys = {
            async eraseAccount() {
                await change(ada.context);
                return { done: true };
            },
        };
        await build({ keys }).deleteAccount({ password: PASSWORD }, ada.context);
        assert.equal((await erasureOf(ada.context.user_id)).length, 1);
        await assert.rejects(tryLogin(ada.email, NEW_PASSWORD), { kind: 'unauthenticated' });
    });

    it('deletes an account once, however many processes are asked at once', async () => {
        const ada = await caller();
        const { promise: all, resolve } = Promise.withResolvers<void>();
        let arrived = 0;
        const verified = () => {
            if (++arrived === 4) resolve();
            return all; // then all passwords are verified
        };
        const processes = Array.from({ length: 4 }, () => build({ verified }));
        const outcomes = await Promise.allSettled(
            processes.map((each) => each.deleteAccount({ password: PASSWORD }, ada.context)),
        );
        assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
        for (const outcome of outcomes)
            if (outcome.status === 'rejected')
                assert.match(outcome.reason.kind, /^(unauthenticated|not_found|rate_limited)$/);
    });
});
