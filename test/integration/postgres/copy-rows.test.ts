import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Client } from 'pg';
import { copyRows, NotCopied } from '../../../platform/postgres/copy-rows.store.ts';
import { withSession } from '../../../platform/postgres/session.ts';
import { SCHEMAS } from '../../../services/schemas.ts';
import { testDatabase } from '../../support/harness.ts';

const ACCOUNT = '01a21c80-44b3-7a2d-a099-0abb593264a6';
const schemas = SCHEMAS.map(({ schema }) => schema);

/** A user, 1,200 accounts with events, a seal with bytes, an entry with a number, and a tree that has grown. */
const ROWS = `
    INSERT INTO identity.users (user_id, email, name, password_hash, tier, created_at, updated_at)
    VALUES ('${ACCOUNT}', 'ada@example.com', E'Ada \\\\ "\\u20ac"', 'x', 'free', now(), now());
    INSERT INTO events.seals VALUES (7, '\\x00ff5c22', 0, '2026-11-28T10:00:00.123456Z');
    INSERT INTO events.heads (account, seq) SELECT gen_random_uuid(), n FROM generate_series(1, 1200) AS n;
    INSERT INTO did.deltas (account, kind, day, amount) VALUES ('${ACCOUNT}', 'dids_created', '2026-11-01', 3);
    UPDATE events.tree SET size = 8, edge = '\\x0102'`;

async function connected(work: (from: Client, to: Client) => Promise<void>): Promise<void> {
    const [from, to] = [(await testDatabase()).url, (await testDatabase()).url];
    await withSession(from, {}, async (source) => {
        await source.query(ROWS);
        await withSession(to, {}, (target) => work(source, target));
    });
}

async function firstValue(client: Client, text: string): Promise<unknown> {
    return Object.values((await client.query(text)).rows[0] ?? {})[0];
}

test('a copied database has the same rows, and gives out further numbers', () =>
    connected(async (from, to) => {
        assert.equal(await copyRows({ from, to, schemas }), 1_204);
        for (const text of [
            'SELECT to_jsonb(users) FROM identity.users',
            'SELECT to_jsonb(seals) FROM events.seals',
            'SELECT to_jsonb(tree) FROM events.tree',
            'SELECT jsonb_agg(heads ORDER BY account) FROM events.heads',
            'SELECT jsonb_agg(deltas) FROM did.deltas',
        ])
            assert.deepEqual(await firstValue(to, text), await firstValue(from, text));
        const next = `INSERT INTO did.deltas (account, kind, day, amount)
            VALUES ('${ACCOUNT}', 'dids_created', '2026-11-01', 3) RETURNING id`;
        assert.equal(await firstValue(to, next), await firstValue(from, next));
    }));

test('a database that has rows is not overwritten', () =>
    connected(async (from, to) => {
        await to.query(ROWS);
        await assert.rejects(copyRows({ from, to, schemas }), NotCopied);
        assert.equal(await firstValue(to, 'SELECT count(*)::int FROM events.heads'), 1_200);
    }));

test('if a row cannot be copied, none is', () =>
    connected(async (from, to) => {
        await to.query('ALTER TABLE identity.users ADD CONSTRAINT nobody CHECK (false)');
        await assert.rejects(copyRows({ from, to, schemas }), /nobody/);
        await to.query('ROLLBACK');
        assert.equal(await firstValue(to, 'SELECT count(*)::int FROM events.heads'), 0);
    }));
