import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { SCHEMAS } from '../../services/schemas.ts';
import { SOURCE_FILES } from './source-files.ts';
import { templatesIn } from './statements.ts';

/**
 * Each schema may be on a node of its own, placed by Citus. It refuses some statements that PostgreSQL takes. These rules
 * find them in the texts of the stores. What several texts make together is tried by `npm run test:citus`.
 */

const STORES = SOURCE_FILES.filter((file) => /^services\/.*store\.ts$|^platform\/.*(\.store|prune)\.ts$/.test(file));
/** Reads several schemas at once, but not of a distributed database. */
const COUNTS = 'services/counts/counts.store.ts';
/** Some of their calls are refused while any node of a Citus is away. Those that issue or log in are not. */
const NEED_ALL_NODES: readonly string[] = [
    'services/did/erase.store.ts',
    'services/exchange/wallet/wallet.store.ts',
    'services/identity/erasure/erasures.store.ts',
    'services/keys/expiring/expiring.store.ts',
    'services/usage/record.store.ts',
    'services/wallet/erase.store.ts',
    'services/wallet/insert.store.ts',
    'services/webhooks/delivery/lanes.store.ts',
];
/** What they read does not depend on what the same statement changes. */
const READ_THE_SAME: readonly string[] = ['services/credentials/parts/parts.store.ts', 'services/keys/places.store.ts'];
/** Functions in RETURNING whose result depends on their arguments only. */
const IMMUTABLE = ['octet_length'];

const NAMED = new RegExp(`\\b(?:FROM|JOIN|INTO|UPDATE) (${SCHEMAS.map(({ schema }) => schema).join('|')})\\.`, 'g');
const GIVEN = /\b(?:deltasOf|totalsOf)\(([^)]*)\)/g;
const LOCKS = /\bFOR (?:(?:NO KEY )?UPDATE|(?:KEY )?SHARE)\b/g;
/** Functions that may give another value each time. A statement that changes rows takes now(), or a value. */
const VOLATILE = /\b(?:clock_timestamp|statement_timestamp|random|gen_random_uuid)\(/;
const FUNCTION = /\b([a-z_]+)\(/gi;

const RULES: ReadonlyArray<{ what: string; breaks(text: string, file: string): boolean }> = [
    { what: 'has a trigger', breaks: (text) => /\bTRIGGER\b/i.test(text) },
    { what: 'uses ctid', breaks: (text) => /\bctid\b/i.test(text) },
    { what: 'locks a table', breaks: (text) => /\bLOCK\b/i.test(text) },
    { what: 'updates rows that it locks first', breaks: updatesLocked },
    { what: 'returns what may change', breaks: (text) => returned(text).some((name) => !IMMUTABLE.includes(name)) },
    { what: 'writes the time of a running clock', breaks: (text) => VOLATILE.test(text) && !/^\s*SELECT\b/.test(text) },
    { what: 'chooses between a column and now()', breaks: (text) => /\bcoalesce\([^()]*\bnow\(\)/i.test(text) },
    { what: 'inserts what it has changed', breaks: insertsChanged },
    { what: 'reads what it changes', breaks: readsChanged },
    { what: 'aggregates rows that it makes', breaks: (text) => /_agg\([^()]*\) FROM generate_series/.test(text) },
    { what: 'names two schemas', breaks: (text, file) => file !== COUNTS && schemasIn(text).size > 1 },
];

/** An UPDATE of rows on which an INSERT conflicts joins nothing. */
function updatesLocked(text: string): boolean {
    const unlocked = text.replace(LOCKS, '');
    return unlocked !== text && /(?<!\bDO )\bUPDATE\b/.test(unlocked);
}

/** An INSERT reads rows from a CTE that changes them: Citus sends such rows to all nodes, so that all are needed. */
function insertsChanged(text: string, file: string): boolean {
    if (NEED_ALL_NODES.includes(file)) return false;
    const changed = Array.from(text.matchAll(/\b(\w+) AS \(\s*(?:INSERT|UPDATE|DELETE)\b/g), ([, name]) => name);
    const sources = Array.from(text.matchAll(/\bINSERT INTO (?:(?!INSERT)[\s\S])*?\bFROM (\w+)/g), ([, name]) => name);
    const appends = /\bappend\w+\(/.test(text) && changed.includes('written');
    return appends || sources.some((name) => changed.includes(name));
}

/** A Citus may run a CTE that only reads after the change of the same table, unless it is MATERIALIZED. */
function readsChanged(text: string, file: string): boolean {
    if (READ_THE_SAME.includes(file)) return false;
    const changed = Array.from(text.matchAll(/\b(?:INSERT INTO|UPDATE|DELETE FROM) (\w+\.\w+)/g), ([, name]) => name);
    const reading = Array.from(
        text.matchAll(/\bAS \((?:\s|--.*)*SELECT\b([\s\S]*?)\n\s*\)/g),
        ([, inner = '']) => inner,
    );
    const read = reading.flatMap((inner) =>
        Array.from(inner.matchAll(/\b(?:FROM|JOIN) (\w+\.\w+)/g), ([, name]) => name),
    );
    return read.some((name) => changed.includes(name));
}

/** The functions behind each RETURNING, up to the parenthesis that closes its statement. */
function returned(text: string): string[] {
    const [, ...clauses] = text.split(/\bRETURNING\b/);
    return clauses.flatMap((clause) => {
        const balanced = clause.replace(/\([^()]*\)/g, '()');
        return Array.from(balanced.split(/(?<!\()\)/)[0]?.matchAll(FUNCTION) ?? [], ([, name = '']) => name);
    });
}

function schemasIn(text: string): Set<string> {
    const named = [...text.matchAll(NAMED), ...text.matchAll(GIVEN)];
    return new Set(named.map(([, schema = '']) => schema.replaceAll("'", '')));
}

function breaches(file: string, source: string): string[] {
    return templatesIn(source).flatMap((text) =>
        RULES.filter(({ breaks }) => breaks(text, file)).map(({ what }) => `${file} ${what}: ${text.trim()}`),
    );
}

test('no statement of a store is one that Citus refuses', () => {
    assert.ok(STORES.length > 30, `${STORES.length} stores`);
    const sources = STORES.map((file) => ({ file, source: readFileSync(file, 'utf8') }));
    const statements = sources.flatMap(({ source }) => templatesIn(source).filter((text) => NAMED.test(text)));
    assert.ok(statements.length > 80, `${statements.length} statements`);
    assert.deepEqual(
        sources.flatMap(({ file, source }) => breaches(file, source)),
        [],
    );
});

test('no migration leaves a trigger', () => {
    const texts = SCHEMAS.flatMap(({ folder }) =>
        globSync(`${folder}/*.sql`)
            .sort()
            .map((file) => readFileSync(file, 'utf8')),
    );
    const names = (what: string) =>
        texts.flatMap((text) =>
            Array.from(text.matchAll(new RegExp(`${what} TRIGGER (\\w+)`, 'g')), ([, name]) => name),
        );
    assert.deepEqual(names('DROP').sort(), names('CREATE').sort());
    assert.ok(names('CREATE').length > 5);
});

test('each rule detects its violation, and nothing else does', () => {
    const broken = {
        'has a trigger': 'CREATE TRIGGER count AFTER INSERT ON did.dids',
        'uses ctid': 'DELETE FROM did.dids WHERE ctid IN (SELECT 1)',
        'locks a table': 'LOCK TABLE did.dids IN SHARE MODE',
        'updates rows that it locks first':
            'WITH open AS (SELECT id FROM did.dids FOR UPDATE) UPDATE did.dids SET a = 1 FROM open',
        'returns what may change': "UPDATE did.dids SET a = 1 RETURNING (b), date_trunc('month', day) AS month",
        'writes the time of a running clock': "UPDATE did.dids SET until = clock_timestamp() + interval '1 s'",
        'chooses between a column and now()': 'UPDATE did.dids SET ended_at = coalesce(ended_at, now())',
        'reads what it changes':
            'WITH a AS (\n SELECT b FROM did.dids\n), c AS (UPDATE did.dids SET b = 1) SELECT b FROM a',
        'aggregates rows that it makes': 'INSERT INTO did.dids SELECT (SELECT array_agg(1) FROM generate_series(1, 2))',
        'inserts what it has changed':
            'WITH a AS (UPDATE did.dids SET a = 1 RETURNING b) INSERT INTO did.deltas SELECT b FROM a',
        'names two schemas': 'SELECT FROM did.dids JOIN keys.keys USING (account)',
    };
    for (const [what, statement] of Object.entries(broken)) {
        const found = breaches('services/did/store.ts', `db.rows(sql.unsafe\`${statement}\`); // it's one`);
        assert.deepEqual(found, [`services/did/store.ts ${what}: ${statement}`]);
    }
    const own = `sql.unsafe\`INSERT INTO \${deltasOf("keys")} SELECT 1 FROM \${deltasOf("did")}\``;
    assert.equal(breaches('services/did/store.ts', own).length, 1);
    assert.deepEqual(breaches(COUNTS, own), []);
    for (const statement of [
        'SELECT id FROM did.dids FOR UPDATE',
        'SELECT extract(epoch FROM clock_timestamp() - min(made_at)) AS age FROM did.dids',
        'UPDATE did.dids SET ended_at = coalesce(ended_at, $1), until = now()',
        'DELETE FROM did.dids WHERE id = ANY(ARRAY(SELECT id FROM did.dids LIMIT 1 FOR UPDATE SKIP LOCKED))',
        'INSERT INTO did.dids SELECT 1 ON CONFLICT (id) DO UPDATE SET a = 1 RETURNING octet_length(b) AS size',
        'WITH a AS (DELETE FROM did.dids RETURNING day) SELECT max(day), now() FROM a',
        'WITH a AS (DELETE FROM did.dids) INSERT INTO did.deltas SELECT b FROM did.totals',
    ])
        assert.deepEqual(breaches('services/did/store.ts', `sql.unsafe\`${statement}\``), [], statement);
});
