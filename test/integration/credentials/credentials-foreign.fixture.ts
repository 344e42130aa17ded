import { type Database, sql } from '../../../platform/postgres/db.ts';
import { foreignView } from '../../../services/credentials/foreign-view.ts';
import type { Party } from '../../../services/credentials/rows.ts';
import { credentialStore } from '../../../services/credentials/store.ts';
import { didStore } from '../../../services/did/store.ts';
import { testContext } from '../../support/harness.ts';
import { testCursors } from '../services/reached.ts';
import { startServices } from './credentials.fixture.ts';

/** Without a deadline, because these tests are about the rows that are read. */
export const longContext = () => testContext({ deadline: Number.POSITIVE_INFINITY });

export const LARGE: Party = { role: 'issuer', did: 'did:key:large-issuer' };
export const BUSY: Party = { role: 'subject', did: 'did:key:large-subject' };
const PARTY_ROWS = 10_000;
/** Credentials that the account has issued with foreign issuer and subject DIDs: more than one page may read. */
export const OWN_ROWS = 25_000;
const OWN_DIDS = 40;
const ownDid = (index: number): string => `did:key:own-${index}`;

interface Rows {
    count: number;
    account: string | null;
    /** An SQL expression over `n`, the number of the row. */
    issuer: ReturnType<typeof sql.fragment>;
    subject: ReturnType<typeof sql.fragment>;
}

async function write(db: Database, { count, account: by, issuer, subject }: Rows): Promise<void> {
    for (let from = 1; from <= count; from += 5_000) {
        const to = Math.min(count, from + 4_999);
        await db.rows(sql.unsafe`
            INSERT INTO credentials.credentials (id, account, issued_at, issuer, subject, credential_type)
            SELECT gen_random_uuid(), ${by}, now(), ${issuer}, ${subject}, 't'
            FROM generate_series(${from}::int, ${to}::int) AS n`);
    }
}

const text = (value: string) => sql.fragment`${value}::text`;
const nth = (prefix: string, modulus = 1_000_000) => sql.fragment`${prefix} || (n % ${modulus}::int)`;

/** Writes the DIDs of the account, and rows that do and do not concern it. */
export async function writeRows(db: Database, account: string): Promise<void> {
    const rows = Array.from({ length: OWN_DIDS }, (_, index) => ({
        did: ownDid(index),
        public_key: Buffer.from(ownDid(index)),
        account,
        origin: 'generated' as const,
    }));
    await Promise.all(rows.map((row) => didStore(db).insert(row)));
    // Rows that do not concern the account.
    await write(db, { count: PARTY_ROWS, account: null, issuer: text(LARGE.did), subject: nth('did:key:other-') });
    await write(db, { count: PARTY_ROWS, account: null, issuer: nth('did:key:other-'), subject: text(BUSY.did) });
    // Rows that concern the account: with other DIDs, and with the two large ones.
    await write(db, { count: OWN_ROWS, account, issuer: nth('did:key:borrowed-', 7), subject: nth('did:key:other-') });
    await write(db, { count: 2_500, account: null, issuer: text('did:key:third'), subject: text(ownDid(3)) });
    await write(db, { count: 30, account, issuer: text(LARGE.did), subject: nth('did:key:other-') });
    await write(db, { count: 40, account: null, issuer: text(LARGE.did), subject: nth('did:key:own-', OWN_DIDS) });
    await write(db, { count: 1_700, account: null, issuer: text(LARGE.did), subject: text(ownDid(3)) });
    await write(db, { count: 5, account, issuer: text(LARGE.did), subject: text(ownDid(1)) });
    await write(db, { count: 12, account, issuer: nth('did:key:borrowed-', 7), subject: text(BUSY.did) });
    await write(db, { count: 9, account: null, issuer: text(ownDid(0)), subject: text(BUSY.did) });
    await db.rows(sql.unsafe`ANALYZE credentials.credentials`);
}

/** Starts the services for an account that looks at DIDs which it does not own. */
export async function startForeign() {
    const { db, did } = await startServices();
    const context = longContext();
    const account = context.user_id ?? '';

    /** The ids that the account may see, from one query that states the rule directly. */
    async function visible({ role, did: party }: Party): Promise<string[]> {
        const other = sql.identifier([role === 'issuer' ? 'subject' : 'issuer']);
        const rows = await db.rows<{ id: string }>(sql.unsafe`
            SELECT id FROM credentials.credentials
            WHERE ${sql.identifier([role])} = ${party} AND (
                account = ${account} OR ${other} IN (
                    SELECT did FROM did.dids WHERE account = ${account} AND origin IN ('generated', 'wallet')))
            ORDER BY id DESC`);
        return rows.map(({ id }) => id);
    }

    function viewOf(party: Party, database: Database = db, by = account) {
        const dependencies = { store: credentialStore(database), services: { did }, cursors: testCursors };
        return foreignView({ ...dependencies, listScope: 'owner' }, { party, account: by });
    }

    return { db, did, context, account, viewOf, visible };
}
