import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, describe, it } from 'node:test';
import { Client } from 'pg';
import { cred, folder, newIssuer, outcome, serviceBed, started } from './cred.ts';

const bed = await serviceBed({ RATE_WINDOW_SECONDS: '2' });
const ITEMS = 1_500;

type Issuer = Awaited<ReturnType<typeof newIssuer>>;
const file = (name: string): string => join(folder, name);
const linesOf = (path: string) =>
    readFileSync(path, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
const environment = ({ api_key, private_key }: Issuer, url = bed.url) => ({
    CRED_URL: url,
    CRED_TOKEN: api_key,
    CRED_ISSUER_KEY: private_key,
});

function writeItems(path: string, count: number): void {
    const item = (index: number) => ({
        subject_did: `did:web:s${index}.example`,
        credential_type: 'T',
        claims: { index },
    });
    writeFileSync(path, Array.from({ length: count }, (_, index) => `${JSON.stringify(item(index))}\n`).join(''));
}

/** The numbers of credentials by their subjects. */
async function credentialsOf({ did }: Issuer): Promise<Map<string, number>> {
    const db = new Client({ connectionString: bed.databaseUrl });
    await db.connect();
    const sql =
        'SELECT subject, count(*)::int AS count FROM credentials.credentials WHERE issuer = $1 GROUP BY subject';
    const { rows } = await db.query<{ subject: string; count: number }>(sql, [did]).finally(() => db.end());
    return new Map(rows.map(({ subject, count }) => [subject, count]));
}

async function assertOneEach(issuer: Issuer, out: string, count: number): Promise<void> {
    const counts = await credentialsOf(issuer);
    assert.equal(counts.size, count);
    assert.deepEqual(new Set(counts.values()), new Set([1]));
    const results = linesOf(out);
    assert.deepEqual(
        results.map(({ line }) => line),
        Array.from({ length: count }, (_, index) => index + 1),
    );
    for (const { line, ok, subject } of results)
        assert.deepEqual({ ok, subject }, { ok: true, subject: `did:web:s${line - 1}.example` });
    assert.equal(new Set(results.map(({ credential_id }) => credential_id)).size, count);
}

/** A proxy that calls `answered` after the service has answered, and passes the answer on unless that is false. */
async function proxy(answered: (body: Buffer, answers: number) => boolean): Promise<string> {
    let answers = 0;
    const server = createServer(async (incoming, outgoing) => {
        const { method, url, headers } = incoming;
        const upstream = request(new URL(url ?? '/', bed.url), { method, headers }).end(await buffer(incoming));
        const [answer] = (await once(upstream, 'response')) as [IncomingMessage];
        const body = await buffer(answer);
        if (!answered(body, ++answers)) return incoming.destroy();
        outgoing.writeHead(answer.statusCode ?? 0, answer.headers).end(body);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    after(() => void server.close());
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens
}

describe('a batch that was killed', () => {
    // After the service has carried out the first or second request, before its results are written.
    for (const answer of [1, 2]) {
        it(`before the results of request ${answer} has one credential per line after a second run`, async () => {
            const issuer = await newIssuer(bed);
            const [from, out] = [file(`killed-${answer}.ndjson`), file(`killed-${answer}-out.ndjson`)];
            writeItems(from, ITEMS);
            const url = await proxy((_, answers) => {
                if (answers === answer) child.kill('SIGKILL');
                return answers !== answer;
            });
            const args = ['batch', 'issue', '--from', from, '--issuer', issuer.did, '--out', out];
            const child = started(args, { env: environment(issuer, url) });
            assert.equal((await outcome(child)).code, null);
            assert.ok((await credentialsOf(issuer)).size >= Math.min(answer * 1_000, ITEMS));
            const second = await cred([...args, '--json'], { env: environment(issuer) });
            assert.equal(second.code, 0, second.stderr);
            assert.deepEqual(JSON.parse(second.stdout), { items: ITEMS, succeeded: ITEMS, failed: 0, out });
            await assertOneEach(issuer, out, ITEMS);
        });
    }

    it('while it wrote a line has one credential per line after a second run, and the same results', async () => {
        const issuer = await newIssuer(bed);
        const [from, out] = [file('torn.ndjson'), file('torn-out.ndjson')];
        writeItems(from, ITEMS);
        const args = ['batch', 'issue', '--from', from, '--issuer', issuer.did, '--out', out];
        assert.equal((await cred(args, { env: environment(issuer) })).code, 0);
        const whole = readFileSync(out, 'utf8');
        for (const part of [0.1, 0.9]) {
            truncateSync(out, Math.floor(whole.length * part));
            assert.equal((await cred(args, { env: environment(issuer) })).code, 0);
            assert.equal(readFileSync(out, 'utf8'), whole);
        }
        await assertOneEach(issuer, out, ITEMS);
    });
});

describe('a batch', () => {
    it('sends as many items as its key may, and waits for the rate limit', async () => {
        const issuer = await newIssuer(bed, 'free'); // 10 requests in 2 seconds
        const [from, out] = [file('free.ndjson'), file('free-out.ndjson')];
        writeItems(from, 23);
        const args = ['batch', 'issue', '--from', from, '--issuer', issuer.did, '--out', out];
        const { code, stdout } = await cred(args, { env: environment(issuer) });
        assert.equal(code, 0);
        assert.equal(stdout, `23 items, all succeeded. Results: ${out}\n`);
        await assertOneEach(issuer, out, 23);
    });

    it('that may have been sent in larger requests is not sent in smaller ones', async () => {
        const issuer = await newIssuer(bed);
        const small = {
            ...issuer,
            api_key: (await bed.admin.as({ token: issuer.token }).keys.generate({ name: 'x', tier: 'free' })).api_key,
        };
        const [from, out] = [file('smaller.ndjson'), file('smaller-out.ndjson')];
        writeItems(from, 100);
        const url = await proxy(() => {
            child.kill('SIGKILL');
            return false;
        });
        const args = ['batch', 'issue', '--from', from, '--issuer', issuer.did, '--out', out];
        const child = started(args, { env: environment(issuer, url) });
        await outcome(child);
        const refused = await cred(args, { env: environment(small) });
        assert.equal(refused.code, 3);
        assert.match(
            refused.stderr,
            /Lines 1 to 100 may have been sent before .* only 10 items at once\. Use the key of the first run\./,
        );
        assert.equal((await cred(args, { env: environment(issuer) })).code, 0);
        await assertOneEach(issuer, out, 100);
    });

    it('stops at a bad line before anything is sent', async () => {
        const issuer = await newIssuer(bed);
        const from = file('bad.ndjson');
        writeItems(from, 1_500);
        writeFileSync(from, '{"subject_did":', { flag: 'a' });
        const { code, stdout, stderr } = await cred(['batch', 'issue', '--from', from, '--issuer', issuer.did], {
            env: environment(issuer),
        });
        assert.deepEqual({ code, stdout }, { code: 2, stdout: '' });
        assert.match(stderr, /^cred: Line 1501 of .* cannot be used: not valid JSON\.\n$/);
        assert.equal((await credentialsOf(issuer)).size, 0);
    });

    it('reads CSV, prints results in order, and ends with 1 if an item failed', async () => {
        const issuer = await newIssuer(bed);
        const from = file('people.csv');
        writeFileSync(
            from,
            'subject_did,credential_type,claims.role,expiration_date\ndid:web:a,T,"x\ny",2030-01-01\nnobody,T,z,\n',
        );
        const { code, stdout, stderr } = await cred(['batch', 'issue', '--from', from, '--issuer', issuer.did], {
            env: environment(issuer),
        });
        assert.equal(code, 1);
        const [first, second] = stdout
            .trimEnd()
            .split('\n')
            .map((line) => JSON.parse(line));
        assert.deepEqual(second, { line: 4, ok: false, code: 'invalid', error: 'subject_did is not a DID.' });
        assert.equal(first.line, 2);
        assert.equal(stderr, '2 items, 1 succeeded, 1 failed.\n');
        const verified = await cred(['verify', first.credential, '--offline', '--json']);
        assert.deepEqual(JSON.parse(verified.stdout).claims, { role: 'x\ny' });
        assert.equal(JSON.parse(verified.stdout).expires_at.slice(0, 10), '2030-01-01');
    });

    it('ends as SIGPIPE ends a program if nobody reads its results any more, and work is left', async () => {
        const issuer = await newIssuer(bed);
        const from = file('head.ndjson');
        writeItems(from, 2_500);
        const child = started(['batch', 'issue', '--from', from, '--issuer', issuer.did], { env: environment(issuer) });
        child.stdout?.once('data', () => child.stdout?.destroy());
        const [code] = await once(child, 'exit');
        assert.equal(code, 141);
    });

    it('verifies and revokes what another one has issued', async () => {
        const issuer = await newIssuer(bed);
        const env = environment(issuer);
        const [from, out] = [file('chain.ndjson'), file('chain-out.ndjson')];
        writeItems(from, 5);
        await cred(['batch', 'issue', '--from', from, '--issuer', issuer.did, '--out', out], { env });
        const verify = ['batch', 'verify', '--from', out, '--revocation'];
        assert.equal((await cred(verify, { env })).code, 0);
        assert.equal(
            (await cred(['batch', 'revoke', '--from', out, '--issuer', issuer.did, '--reason', 'left'], { env })).code,
            0,
        );
        const { code, stdout } = await cred(verify, { env });
        assert.equal(code, 1);
        for (const line of stdout.trimEnd().split('\n'))
            assert.equal(JSON.parse(line).error, 'The credential has been revoked.');
    });
});
