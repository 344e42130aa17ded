import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { Client } from 'pg';
import { createClient } from '../../client/src/client.ts';
import { ROLES } from '../../main.ts';
import { redisOf } from '../../proof/canaries/places.ts';
import { startService } from '../support/service.ts';

/** A service with a gateway, a process of identity and one of all other roles. */
export async function startBed() {
    const logDir = mkdtempSync(join(tmpdir(), 'proof-'));
    after(() => rmSync(logDir, { recursive: true }));
    const service = await startService({
        transport: 'grpc',
        gateways: 1,
        groups: [ROLES.filter((role) => role !== 'gateway' && role !== 'identity')],
        // npm test sets all three
        adminUrl: process.env['TEST_ADMIN_URL'] as string,
        databaseUrl: process.env['TEST_DATABASE_URL'] as string,
        redisUrl: process.env['TEST_REDIS_URL'] as string,
        logDir,
        settings: { SIGNATURE_THREADS: '1', PASSWORD_THREADS: '1' },
    });
    after(() => service.stop());
    const { E2E_URLS: url = '', E2E_INTERNAL_SECRET: secret = '', E2E_DATABASE_URL } = service.env;
    const db = new Client({ connectionString: E2E_DATABASE_URL });
    db.on('error', () => {}); // the database is dropped before the connection is closed
    await db.connect();
    after(() => db.end());
    return { service, db, admin: createClient({ base_url: url, internal_secret: secret, timeout_ms: 60_000 }) };
}

type Bed = Awaited<ReturnType<typeof startBed>>;

/** An account that says `mark` wherever something can be said, with a session and what a call creates. */
export async function newMarkedAccount({ admin }: Bed, mark: string) {
    const login = { email: `${mark}@example.com`, password: 'correct horse battery' };
    const { user_id } = await admin.internal.auth.register({ ...login, name: mark });
    await assert.rejects(admin.internal.auth.login({ ...login, password: 'wrong' }), { status: 401 });
    const me = admin.as({ token: (await admin.internal.auth.login(login)).token });
    const issuer = await me.issuers.create({ name: mark, method: 'web' });
    const { api_key } = await me.keys.generate({ name: mark, tier: 'enterprise' });
    const { webhook_id } = await me.webhooks.create({ url: `https://${mark}.example/`, types: ['wallet.created'] });
    const { wallet_id } = await admin.as({ token: api_key }).wallets.create({ name: mark, password: 'open sesame' });
    const subject = { subject_did: `did:web:${mark}.example`, credential_type: mark, claims: {} };
    const issue = () => me.credentials.issue({ ...subject, issuer_did: issuer.did });
    await issue();
    return {
        user_id,
        webhook_id,
        wallet_id,
        issue,
        /** Calls `DELETE /v1/me`. Returns its status: 503 if its many keys could not all be ended in time. */
        erase: () =>
            me.me.delete({ password: login.password, confirm: 'delete' }).then(
                () => 200,
                ({ status }) => status,
            ),
    };
}

type MarkedAccount = Awaited<ReturnType<typeof newMarkedAccount>>;

const NUMBERS = 'FROM generate_series(1, $many) AS n';
const ID = `md5('$account' || n)::uuid`;

/** Statements that insert rows of an account, with the part that they have of all rows, in a hundredth. */
const ROWS: ReadonlyArray<[percent: number, statement: string]> = [
    [
        45,
        `INSERT INTO credentials.credentials (id, account, issued_at, revoked_at, issuer, subject, credential_type, revocation_reason)
         SELECT ${ID}, '$account', now(), CASE n % 9 WHEN 0 THEN now() END, 'did:web:issuer', 'did:web:$mark-' || n, '$mark',
             CASE n % 9 WHEN 0 THEN '$mark' END ${NUMBERS}`,
    ],
    [
        10,
        `INSERT INTO credentials.idempotency (scope_hash, fingerprint, claimant, id, made_at)
         SELECT sha256(('$account' || n)::bytea), '', '$account', ${ID}, now() ${NUMBERS}`,
    ],
    [
        10,
        `INSERT INTO presentations.presentations (id, account, created_at, credentials_count, holder, audience)
         SELECT ${ID}, '$account', now(), 1, 'did:web:$mark-' || n, '$mark' ${NUMBERS}`,
    ],
    [
        10,
        `INSERT INTO wallet.credentials (wallet, credential, entry, stored_at, issuer_tag, sealed)
         SELECT '$wallet', ${ID}, ${ID}, now(), '', '$mark' ${NUMBERS}`,
    ],
    [
        1,
        `INSERT INTO keys.keys (key_id, account, hash, mask, name, tier, created_at, updated_at, revoked_at)
         SELECT ${ID}, '$account', sha256(('$account' || n)::bytea), 'm', '$mark', 'free', now(), now(), now() ${NUMBERS}`,
    ],
    [
        19,
        // Every hundredth row is as full as a row may be.
        `INSERT INTO events.log (account, last_seq, count, type, happened_at, data)
         SELECT '$account', 10000 + 1000 * n, size, 'key.created', now(), (
             SELECT jsonb_agg(jsonb_build_object('key_id', '$mark')) FROM generate_series(1, size))
         FROM (SELECT n, CASE n % 100 WHEN 0 THEN 1000 ELSE 1 END AS size ${NUMBERS}) AS sized`,
    ],
    [
        5,
        `INSERT INTO webhooks.deliveries (id, endpoint, event_id, type, body, state, created_at, finished_at)
         SELECT ${ID}, '$webhook', 'a', 'key.created', '$mark', 'delivered', now(), now() ${NUMBERS}`,
    ],
];

/** Inserts this many rows of an account. */
export async function addRows(
    { db }: Bed,
    { user_id, webhook_id, wallet_id }: MarkedAccount,
    { mark, rows }: { mark: string; rows: number },
) {
    const values = { account: user_id, webhook: webhook_id, wallet: wallet_id, mark };
    for (const [percent, statement] of ROWS) {
        const named = { ...values, many: String(Math.ceil((rows * percent) / 100)) };
        await db.query(statement.replace(/\$(\w+)/g, (_, name: keyof typeof named) => named[name]));
    }
    await db.query('ANALYZE');
}

/** Lets the erasure begin at once. */
export async function hurry({ db }: Bed, account: string): Promise<void> {
    await db.query(
        `UPDATE identity.erasures
         SET requested_at = requested_at - interval '1 minute', ended_at = ended_at - interval '1 minute'
         WHERE account = $1`,
        [account],
    );
}

export async function isErased({ db }: Bed, account: string): Promise<boolean> {
    const { rows } = await db.query('SELECT finished_at FROM identity.erasures WHERE account = $1', [account]);
    return (rows[0]?.finished_at ?? null) !== null;
}

/** The tables with rows that contain a text, as it is or in hex, and the keys of Redis that do. */
export async function placesOf({ db }: Bed, text: string): Promise<string[]> {
    const forms = [text, Buffer.from(text).toString('hex')];
    const { rows: tables } = await db.query<{ name: string }>(`
        SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
        WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema') ORDER BY 1`);
    const found: string[] = [];
    for (const { name } of tables) {
        const has = `EXISTS (SELECT FROM unnest($1::text[]) AS form WHERE strpos(t::text, form) > 0)`;
        const { rowCount } = await db.query(`SELECT FROM ${name} AS t WHERE ${has} LIMIT 1`, [forms]);
        if (rowCount) found.push(name);
    }
    const keys = await redisOf(process.env['TEST_REDIS_URL'] as string); // npm test sets it
    const holding = keys.filter(({ bytes }) => forms.some((form) => Buffer.from(bytes).includes(form)));
    return [...found, ...holding.map(({ name }) => name)];
}

export const newMark = () => `mark${randomUUID().slice(0, 8)}`;
