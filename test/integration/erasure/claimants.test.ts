import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { it } from 'node:test';
import { z } from 'zod';
import { sql } from '../../../platform/postgres/db.ts';
import { testContext } from '../../support/harness.ts';
import { newParty, requestBy, startServices } from '../credentials/credentials.fixture.ts';
import { identityFixture, newEmail, PASSWORD } from '../identity/identity.fixture.ts';

const claimRow = z.strictObject({ claimant: z.string().nullable() });

const repeatable = (context: ReturnType<typeof testContext>) => ({
    ...context,
    idempotency_key: randomUUID(),
    replay: { isReplay: false },
});

it('a claim has the account that has made it, and the claim of a registration the new account', async () => {
    const { db, did, credentials } = await startServices();
    const party = await newParty(did);
    await did.create({}, repeatable(party.context));
    await credentials.issue(requestBy(party), repeatable(party.context));
    for (const schema of ['did', 'credentials']) {
        const table = sql.identifier([schema, 'idempotency']);
        const claims = await db.rows(sql.type(claimRow)`SELECT claimant FROM ${table}`);
        assert.deepEqual(claims, [{ claimant: party.account }], schema);
    }
    const { db: users, identity } = await identityFixture();
    const nobody = testContext({ user_id: undefined });
    const { user_id } = await identity.register({ email: newEmail(), password: PASSWORD }, repeatable(nobody));
    const claims = await users.rows(sql.type(claimRow)`SELECT claimant FROM identity.idempotency`);
    assert.deepEqual(claims, [{ claimant: user_id }]);
});
