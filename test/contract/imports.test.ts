import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { SCHEMAS } from '../../services/schemas.ts';
import { ROLE_TABLE, SERVICE_CALLS } from '../../tools/reference/role-table.ts';
import { assertEntries } from './entries.ts';
import { SOURCE_FILES as FILES, importsOf } from './source-files.ts';

/**
 * The parts of the code, and what files of a part may import besides files of the same part. A file belongs to the
 * first part that matches its path. A file that belongs to no part may import anything.
 */
const PARTS: ReadonlyArray<{ part: RegExp; imports: RegExp }> = [
    { part: /^platform\//, imports: /^proto\/gen\/rpc\// },
    { part: /^proto\//, imports: /^$/ },
    // Runs in the service and in the package verify/, so it may use neither Node nor libsodium.
    { part: /^tokens\//, imports: /^platform\/(json|uuid)\.ts$|^proto\/limits\.ts$/ },
    { part: /^workers\/crypto\//, imports: /^(platform|tokens)\// },
    { part: /^gateway\//, imports: /^(platform|proto)\// },
    { part: /^client\//, imports: /^$/ },
    { part: /^verify\//, imports: /^tokens\/|^platform\/json\.ts$/ },
    {
        part: /^cli\//,
        imports:
            /^(client|verify)\/src\/|^platform\/(transparency\/|(json|nearest)\.ts$)|^proto\/(audit-leaves|tiers)\.ts$|^tokens\/did-key\.ts$/,
    },
    // The registry of all services, what describes one, what starts them, and which tables each of them uses.
    { part: /^services\/(databases|index|service|start|table-uses)\.ts$/, imports: /./ },
    { part: /^services\/crypto-pools\.ts$/, imports: /^(platform|workers\/crypto)\// },
    // The services that create something share it.
    {
        part: /^services\/idempotency\//,
        imports: /^platform\/|^workers\/crypto\/seal\.ts$|^services\/map-in-flight\.ts$/,
    },
    // The services whose changes are events share it. Its relay calls the events service for them.
    {
        part: /^services\/outbox\//,
        imports: /^platform\/|^proto\/(event-types\.ts$|services\.ts$|gen\/events\/)|^tokens\/credential-id\.ts$/,
    },
    // The services that count their rows share it.
    { part: /^services\/counts\//, imports: /^platform\// },
    // The services that sign or verify tokens share it. Each of them imports the contract of the signing service itself.
    {
        part: /^services\/issuers\//,
        imports:
            /^(platform|tokens)\/|^proto\/(gen\/signing\/|limits\.ts$)|^workers\/crypto\/signatur(es|e-jobs)\.ts$|^services\/idempotency\/claim\.ts$/,
    },
    // A service reaches another service only through its proto. Other code that services share is directly in services/.
    {
        part: /^services\/[^/]+\//,
        imports:
            /^(platform|proto|tokens|workers\/crypto)\/|^services\/(counts\/|idempotency\/|issuers\/|outbox\/|(?!databases|index|service|start)[^/]+\.ts$)/,
    },
    {
        part: /^services\/[^/]+\.ts$/,
        imports:
            /^(platform|tokens)\/|^proto\/(limits|check-codes|tiers)\.ts$|^workers\/crypto\/seal\.ts$|^services\/(counts\/|(?!databases|index|service|start)[^/]+\.ts$)/,
    },
];

/** Actions that only some files may take. */
const PRIVILEGES: ReadonlyArray<{ what: string; sign: RegExp; within: RegExp; allowed: RegExp }> = [
    {
        what: 'reads process.env',
        sign: /process\.env/,
        within: /./,
        allowed:
            /^(platform\/process\/config\.ts$|deploy\/|test\/|proof\/|bench\/|client\/examples\/|cli\/src\/main\.ts$)/,
    },
    {
        what: 'holds SQL',
        sign: /\bsql(\.\w+(\(.+\))?)?`|\.query\(/,
        within: /^(platform|gateway|services|workers|main)\b/,
        allowed:
            /(^|[/.])store\.ts$|^platform\/postgres\/(db|db-driver|migrate|migration-transaction|prune|session)\.ts$|^platform\/preflight\/(postgres|rights)\.ts$/,
    },
    {
        what: 'writes a response',
        sign: /\.(end|send|json|writeHead)\(/,
        within: /^gateway\//,
        allowed: /^gateway\/http\/envelope\.ts$/,
    },
];

function breaches(file: string, source: string): string[] {
    const home = PARTS.find(({ part }) => part.test(file));
    const own = home?.part.exec(file)?.[0] ?? '';
    const strayed = importsOf(file, source).filter((path) => home && !path.startsWith(own) && !home.imports.test(path));
    const usurped = PRIVILEGES.filter(
        ({ sign, within, allowed }) => within.test(file) && !allowed.test(file) && sign.test(source),
    );
    return [...strayed.map((path) => `${file} imports ${path}`), ...usurped.map(({ what }) => `${file} ${what}`)];
}

test('every file imports and does only what its part allows', () => {
    assert.ok(FILES.length > 50);
    assert.deepEqual(
        FILES.flatMap((file) => breaches(file, readFileSync(file, 'utf8'))),
        [],
    );
});

/** What calls the usage service for its callers. */
const COUNTS = 'platform/access/request-counts.ts';
/** What appends the events of a service. The relay passes them on to the events service. */
const OUTBOX = 'services/outbox/outbox.store.ts';
/** The service that is called for a file which imports this one. */
const CALLED_BY_IMPORT: Record<string, string> = { [COUNTS]: 'usage', [OUTBOX]: 'events' };

test('a service calls the services that the table of roles names, and no others', () => {
    const calls = FILES.flatMap((file) => {
        const caller = /^services\/(?!(?:issuers|outbox)\/)([^/]+)\//.exec(file)?.[1];
        const callees = importsOf(file, readFileSync(file, 'utf8')).map(
            (path) => CALLED_BY_IMPORT[path] ?? /^proto\/gen\/([^/]+)/.exec(path)?.[1],
        );
        return callees.flatMap((callee) => (caller && callee && callee !== caller ? [`${caller} → ${callee}`] : []));
    });
    assertEntries(calls, SERVICE_CALLS, `${ROLE_TABLE}, by what services/ imports`);
});

const SCHEMA_NAMES = SCHEMAS.map(({ schema }) => schema).join('|');
const TABLE = new RegExp(`\\b(?:FROM|JOIN|INTO|UPDATE) (${SCHEMA_NAMES})\\.[a-z_]+`, 'g');

test('a statement of a service names tables of its own schema only, which may be on a server of its own', () => {
    const named = FILES.flatMap((file) => {
        const service = /^services\/(?!counts\/)([^/]+)\//.exec(file)?.[1];
        const tables = service ? readFileSync(file, 'utf8').matchAll(TABLE) : [];
        return Array.from(tables, ([text, schema]) => ({ file, text, isOwn: schema === service }));
    });
    assert.ok(named.length > 50, `${named.length} tables`);
    assert.deepEqual(
        named.filter(({ isOwn }) => !isOwn),
        [],
    );
});

test('the calls between services form no cycle, so processes may start in any order', () => {
    let left = SERVICE_CALLS.map((call) => call.split(' → '));
    for (let before = -1; before !== left.length; ) {
        before = left.length;
        left = left.filter(([, callee]) => left.some(([caller]) => caller === callee));
    }
    assert.deepEqual(left, [], `${ROLE_TABLE}: these calls lead back to their caller, or to such a call`);
});

test('each rule detects its violation', () => {
    const broken = {
        'platform/batch.ts': "import { encodeDidKey } from '../workers/crypto/did-key.ts';",
        'platform/rpc/frames/wire.ts': "import type { DidRow } from '../../../proto/gen/did/v1/did.ts';",
        'tokens/times.ts': "import { newId } from '../platform/ids.ts';",
        'proto/gen/did/v1/did.ts': 'export { AppError } from "../../../../platform/errors.ts";',
        'workers/crypto/paseto.ts': "import { isTier } from '../../services/tiers.ts';",
        'services/counts/roll-up.ts': "const { didStore } = await import('../did/store.ts');",
        'gateway/admission/authenticator.ts': "import {\n    isTier,\n} from '../../services/tiers.ts';",
        'gateway/endpoints/dids.ts': "import { sign } from '../../workers/crypto/ed25519.ts';",
        'verify/src/verify.ts': "import { sign } from '../../workers/crypto/ed25519.ts';",
        'cli/src/run.ts': "import { encodeDidKey } from '../../workers/crypto/did-key.ts';",
        'cli/src/config.ts': 'const { HOME } = process.env;',
        'client/client.ts': "import { AppError } from '../platform/errors.ts';",
        'services/keys/store.ts': "import { didStore } from '../did/store.ts';",
        'services/keys/service.ts': "import { SERVICES } from '../index.ts';",
        'services/tiers.ts': "import '../gateway/admission/limit.ts';",
        'main.ts': 'const { PORT } = process.env;',
        'services/did/service.ts': 'db.rows(sql.unsafe`SELECT 1`);',
        'services/did/create.ts': 'db.rows(sql.type(row)`SELECT 1`);',
        'services/usage/schedule.ts': "client.query('SELECT 1');",
        'gateway/endpoint.ts': 'response.status(200).json({});',
    };
    for (const [file, source] of Object.entries(broken)) assert.equal(breaches(file, source).length, 1, file);
});
