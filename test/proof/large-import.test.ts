import assert from 'node:assert/strict';
import { pbkdf2Sync } from 'node:crypto';
import { type IncomingMessage, request } from 'node:http';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { it } from 'node:test';
import { createClient } from '../../client/src/client.ts';
import { startBed } from './large-account.ts';

/** `npm run proof -- import` imports as many lines as an import may have. */
const LINES = Number(process.env['IMPORTED_LINES'] ?? 1_200);
/** How much memory a process may take more than after its start, in bytes. The lines take twenty times as much of it. */
const MAX_GROWTH = 192 << 20;
const PASSWORD = 'correct horse battery';

const { service, db } = await startBed();
const { E2E_URLS: url = '', E2E_INTERNAL_SECRET: secret = '' } = service.env;

const salt = Buffer.alloc(16, 1);
const [saltText, hashText] = [salt, pbkdf2Sync(PASSWORD, salt, 1_000, 32, 'sha256')].map((bytes) =>
    bytes.toString('base64').replaceAll('=', ''),
);
const emailOf = (line: number) => `user-${line}@example.com`;
const lineOf = (line: number) =>
    `${JSON.stringify({ email: emailOf(line), name: `Name ${line}`, password_hash: `$pbkdf2-sha256$i=1000$${saltText}$${hashText}` })}\n`;

function* chunks(): Generator<string> {
    for (let from = 1; from <= LINES; from += 100)
        yield Array.from({ length: Math.min(100, LINES - from + 1) }, (_, index) => lineOf(from + index)).join('');
}

/** Imports the lines, counts the answers by status, and breaks off when `isEnough` says so. */
async function importLines(isEnough: (answered: number) => boolean = () => false): Promise<Record<string, number>> {
    const headers = { 'content-type': 'application/x-ndjson', 'x-internal-secret': secret };
    const sent = request(`${url}/internal/v1/admin/users/import`, { method: 'POST', headers, agent: false });
    const answered = Promise.withResolvers<IncomingMessage>();
    sent.on('response', answered.resolve);
    sent.on('error', answered.reject);
    Readable.from(chunks()).pipe(sent);
    const input = await answered.promise;
    const lines = createInterface({ input });
    lines.on('error', () => {}); // of an answer that was broken off
    const counts: Record<string, number> = {};
    let answers = 0;
    for await (const text of lines) {
        const { line, status } = JSON.parse(text);
        assert.equal(line, ++answers);
        counts[status] = (counts[status] ?? 0) + 1;
        if (isEnough(answers)) break;
    }
    sent.destroy();
    return counts;
}

/** The resident memory of the gateway and of identity, in bytes. */
async function memory(): Promise<number[]> {
    const targets = service.ops.filter(({ role }) => role === 'gateway' || role === 'identity');
    return Promise.all(
        targets.map(async ({ target }) => {
            const text = await fetch(`http://${target}/metrics`).then((response) => response.text());
            return Number(/^process_resident_memory_bytes (.+)$/m.exec(text)?.[1]);
        }),
    );
}

it('an import that breaks off is repeated, creates each account once, and takes no more memory for more lines', async () => {
    const before = await memory();
    const peak = [...before];
    const note = (now: number[]) => {
        for (const [index, bytes] of now.entries()) peak[index] = Math.max(bytes, peak[index] ?? 0);
    };
    const watched = setInterval(() => void memory().then(note), 250);
    const began = performance.now();
    await importLines((answers) => answers >= LINES / 3);
    const { created = 0, refused = 0 } = await importLines();
    const seconds = (performance.now() - began) / 1_000;
    clearInterval(watched);
    assert.equal(created + refused, LINES);
    assert.ok(created > 0 && refused >= Math.floor(LINES / 3), `${created} created, ${refused} refused`);
    const { rows } = await db.query(
        'SELECT count(*)::int AS users, count(DISTINCT email)::int AS emails FROM identity.users',
    );
    assert.deepEqual(rows, [{ users: LINES, emails: LINES }]);
    assert.deepEqual(await importLines(), { refused: LINES });
    const client = createClient({ base_url: url, internal_secret: secret });
    for (const line of [1, Math.ceil(LINES / 2), LINES])
        await client.internal.auth.login({ email: emailOf(line), password: PASSWORD });
    const growth = peak.map((bytes, index) => bytes - (before[index] ?? 0));
    for (const bytes of growth) assert.ok(bytes < MAX_GROWTH, `${bytes >> 20} MiB`);
    const mib = (all: number[]) => all.map((bytes) => bytes >> 20).join(' and ');
    console.log(
        `${LINES} lines in ${seconds.toFixed(1)} s; MiB of identity and the gateway: ${mib(before)}, then ${mib(peak)}`,
    );
});
