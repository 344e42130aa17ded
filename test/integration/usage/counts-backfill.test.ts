import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { it } from 'node:test';
import { Client } from 'pg';
import { countsOf } from '../../../services/counts/counts.store.ts';
import { findDrift } from '../../../services/counts/drift.store.ts';
import { COUNTING } from '../../../services/counts/pending.store.ts';
import { countingFixture } from './counting.ts';

const { db, url } = await countingFixture();
const SERVICES = COUNTING.filter((service) => service !== 'usage');

/** Rows of an account and of nobody, in May and in June, as the previous release has written them. */
const rowsOf = (account: string) => {
    const [wallet, other] = [randomUUID(), randomUUID()];
    return `
        INSERT INTO identity.users (user_id, email, tier, password_hash, created_at, updated_at) VALUES
            ('${account}', '${account}@example.com', 'free', 'h', '2031-05-31', now()),
            (gen_random_uuid(), '${wallet}@example.com', 'pro', 'h', '2031-06-01', now());
        INSERT INTO keys.keys (key_id, account, hash, mask, name, tier, created_at, updated_at, revoked_at) VALUES
            (gen_random_uuid(), '${account}', '\\x01', 'm', 'n', 'free', '2031-06-01', now(), NULL),
            (gen_random_uuid(), '${account}', '\\x02', 'm', 'n', 'free', '2031-06-01', now(), now());
        INSERT INTO did.dids (did, public_key, account, origin, created_at) VALUES
            ('did:test:1', '\\x', '${account}', 'generated', '2031-05-31'),
            ('did:test:2', '\\x', NULL, 'registered', '2031-06-01'),
            ('did:test:3', '\\x', '${account}', 'wallet', '2031-06-01');
        INSERT INTO credentials.credentials (id, account, issued_at, revoked_at, issuer, subject, credential_type) VALUES
            (gen_random_uuid(), '${account}', '2031-05-31T23:59:59Z', '2031-06-01T00:00:00Z', 'i', 's', 't'),
            (gen_random_uuid(), '${account}', '2031-06-01T00:00:00Z', NULL, 'i', 's', 't'),
            (gen_random_uuid(), NULL, '2031-06-01T00:00:00Z', NULL, 'i', 's', 't');
        INSERT INTO presentations.presentations (id, account, created_at, credentials_count, holder, audience) VALUES
            (gen_random_uuid(), '${account}', '2031-06-01', 1, 'h', 'a'),
            (gen_random_uuid(), NULL, '2031-06-01', 1, 'h', 'a');
        INSERT INTO wallet.wallets (id, account, created_at, salt, memory_kib, passes, data_key, private_key, profile)
        VALUES ('${wallet}', '${account}', '2031-05-31', '', 1, 1, '', '', ''),
            ('${other}', NULL, '2031-05-31', '', 1, 1, '', '', '');
        INSERT INTO wallet.credentials (wallet, credential, entry, stored_at, issuer_tag, sealed) VALUES
            ('${wallet}', gen_random_uuid(), gen_random_uuid(), '2031-06-01', '', '\\x0102'),
            ('${other}', gen_random_uuid(), gen_random_uuid(), '2031-06-01', '', '\\x03');`;
};

it('the migrations count the rows that earlier releases have written, by account and month', async () => {
    const account = randomUUID();
    const client = new Client(url);
    await client.connect();
    await client.query(rowsOf(account));
    const missing = await findDrift(() => [db]);
    assert.equal(new Set(missing.map(({ kind }) => kind)).size, 10);
    for (const service of SERVICES) {
        const [migration = ''] = globSync(`services/${service}/migrations/*_counts.sql`);
        await client.query(`DROP TABLE ${service}.deltas, ${service}.totals`);
        await client.query(readFileSync(migration, 'utf8'));
    }
    await client.end();
    assert.deepEqual(await findDrift(() => [db]), []);
    const issued = await countsOf(['credentials'], db).byMonth({ account, today: '2031-06-02' });
    assert.deepEqual(
        issued.toSorted((one, next) => one.kind.localeCompare(next.kind)),
        [
            { kind: 'credentials_issued', total: 2, this_month: 1 },
            { kind: 'credentials_revoked', total: 1, this_month: 1 },
        ],
    );
});
