import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { Readable, Writable } from 'node:stream';
import { describe, it } from 'node:test';
import type { Answered } from '../../../../cli/src/batch/deliver.ts';
import { type Fields, picking } from '../../../../cli/src/batch/items.ts';
import { type Job, runBatch } from '../../../../cli/src/batch/run.ts';
import type { World } from '../../../../cli/src/world.ts';
import { ApiError, type Client } from '../../../../client/src/client.ts';
import { newFile } from './files.ts';

const LINES = '{"credential":"a"}\n{"credential":"b"}\n{"credential":"c"}\n';
const RESULTS = '{"line":1,"ok":true,"n":"a"}\n{"line":2,"ok":true,"n":"b"}\n{"line":3,"ok":true,"n":"c"}\n';

/** Runs a batch whose items succeed, unless `send` says otherwise. Returns what was sent and printed. */
async function ran(
    files: { from: string; out?: string; late?: boolean },
    {
        input = '',
        needsKey = false,
        send = async (items: Fields[]): Promise<Answered[]> => items.map(({ credential: n }) => ({ ok: true, n })),
    } = {},
) {
    const sent: Fields[][] = [];
    let stdout = '';
    const sink = (): Writable =>
        new Writable({
            write(chunk, _encoding, done) {
                stdout += String(chunk);
                done();
            },
        });
    const stdin = Readable.from(input === '' ? [] : [Buffer.from(input)]);
    const quiet = new Writable({ write: (_chunk, _encoding, done) => done() });
    const world: World = { env: {}, stdin, stdout: sink(), stderr: quiet, interrupt: assert.fail };
    const job: Job = {
        name: needsKey ? 'issue' : 'verify',
        reader: picking('credential', 'issuer_did'),
        settings: {},
        ...(needsKey && { needsKey }),
        send: async (_client, items) => {
            sent.push(items);
            return send(items);
        },
    };
    const report = await runBatch(job, { out: undefined, ...files, world, open: async () => ({}) as Client });
    return { report, sent, stdout };
}

describe('the results of a batch', () => {
    it('are for nobody else to read, and so is the plan', async () => {
        const out = newFile();
        await ran({ from: newFile(LINES), out });
        assert.equal(readFileSync(out, 'utf8'), RESULTS);
        assert.deepEqual([statSync(out).mode & 0o777, statSync(`${out}.plan`).mode & 0o777], [0o600, 0o600]);
    });

    it('are written by one process at a time, and go on after one that was killed', async () => {
        const [from, out] = [newFile(LINES), newFile()];
        const { pid: ended } = spawnSync('true');
        for (const holder of [`${process.ppid} ${hostname()}`, '1 another-machine', '']) {
            writeFileSync(`${out}.lock`, holder);
            await assert.rejects(ran({ from, out }), /Another cred writes to .* If none does, delete .*\.lock\./);
            assert.equal(existsSync(out), false);
        }
        writeFileSync(`${out}.lock`, `${ended} ${hostname()}`);
        await ran({ from, out });
        assert.equal(readFileSync(out, 'utf8'), RESULTS);
        assert.equal(existsSync(`${out}.lock`), false);
    });

    it('let the next run begin after a failure', async () => {
        const [from, out] = [newFile(LINES), newFile()];
        const failing = { send: () => Promise.reject(new Error('lost')) };
        await assert.rejects(ran({ from, out }, failing), /lost/);
        writeFileSync(`${out}.plan`, '{');
        await assert.rejects(ran({ from, out }), /is damaged/);
        assert.equal(existsSync(`${out}.lock`), false);
    });

    it('are refused if there are more of them than items', async () => {
        const [from, out] = [newFile(LINES), newFile()];
        await ran({ from, out });
        appendFileSync(out, '{"line":1,"ok":true}\n');
        await assert.rejects(ran({ from, out }), /has 4 results, but the input has only 3 items/);
    });

    it('may go to a device or a named pipe, which has no plan', async () => {
        const { report } = await ran({ from: newFile(LINES), out: '/dev/null' });
        assert.deepEqual(report.data, { items: 3, succeeded: 3, failed: 0, out: '/dev/null' });
        assert.equal(existsSync('/dev/null.plan') || existsSync('/dev/null.lock'), false);
        await assert.rejects(ran({ from: newFile(LINES), out: '/dev/full' }), {
            message: '/dev/full cannot be used: the disk is full.',
            exitCode: 3,
        });
        await assert.rejects(ran({ from: newFile(LINES), out: tmpdir() }), /it is a folder/);
    });
});

describe('the input of a batch', () => {
    it('may be standard input or a named pipe, of which nothing is left', async () => {
        const before = readdirSync(tmpdir()).filter((name) => name.startsWith('cred-input-'));
        for (const from of ['-', '/dev/stdin']) {
            assert.equal((await ran({ from }, { input: `\ufeff${LINES}` })).stdout, RESULTS);
        }
        for (const [ending, content] of [
            ['ndjson', LINES],
            ['csv', 'credential\na\nb\nc\n'],
        ] as const) {
            const pipe = newFile(undefined, ending);
            execFileSync('mkfifo', [pipe]);
            const [{ stdout }] = await Promise.all([ran({ from: pipe }), writeFile(pipe, content)]);
            assert.equal(stdout.split('\n').length, 4);
        }
        await assert.rejects(ran({ from: '-' }, { input: '{' }), /Line 1 of standard input cannot be used/);
        assert.deepEqual(
            readdirSync(tmpdir()).filter((name) => name.startsWith('cred-input-')),
            before,
        );
    });

    it('may be continued, also if it is standard input', async () => {
        const out = newFile();
        await ran({ from: '-', out }, { input: LINES });
        truncateSync(out, RESULTS.length - 5);
        await ran({ from: '-', out }, { input: LINES });
        assert.equal(readFileSync(out, 'utf8'), RESULTS);
        await assert.rejects(ran({ from: '-', out }, { input: `${LINES}{"credential":"d"}` }), /another input/);
    });

    it('is neither a device nor a folder', async () => {
        await assert.rejects(ran({ from: '/dev/zero' }), /\/dev\/zero is no file/);
        await assert.rejects(ran({ from: tmpdir() }), /is a folder/);
        await assert.rejects(ran({ from: newFile() }), /it does not exist/);
    });
});

describe('a batch that issues', () => {
    it('is not continued after 24 hours, or if nobody knows when it began, unless it is told to', async () => {
        const [from, out] = [newFile(LINES), newFile()];
        await ran({ from, out }, { needsKey: true });
        const plan = JSON.parse(readFileSync(`${out}.plan`, 'utf8'));
        const began = (startedAt: string | undefined) => {
            truncateSync(out, 0);
            writeFileSync(`${out}.plan`, JSON.stringify({ ...plan, started_at: startedAt }));
        };
        for (const time of [undefined, 'yesterday', new Date(Date.now() - 86_400_000).toISOString()]) {
            began(time);
            await assert.rejects(ran({ from, out }, { needsKey: true }), /lines 1 to 3 .*--continue-late/);
            assert.equal(readFileSync(out, 'utf8'), '');
            assert.equal((await ran({ from, out, late: true }, { needsKey: true })).sent.length, 1);
            const { started_at } = JSON.parse(readFileSync(`${out}.plan`, 'utf8'));
            assert.ok(Date.now() - Date.parse(started_at) < 60_000);
        }
        began(new Date(Date.now() - 86_300_000).toISOString());
        assert.equal((await ran({ from, out }, { needsKey: true })).sent.length, 1);
    });

    it('that is late is refused at the first request whose results are missing', async () => {
        const items = Array.from({ length: 2_500 }, (_, index) => `{"credential":"${index}"}\n`).join('');
        const [from, out] = [newFile(items), newFile()];
        await ran({ from, out }, { needsKey: true });
        const lines = readFileSync(out, 'utf8').split('\n');
        const plan = JSON.parse(readFileSync(`${out}.plan`, 'utf8'));
        writeFileSync(`${out}.plan`, JSON.stringify({ ...plan, started_at: '2026-01-01T00:00:00.000Z' }));
        writeFileSync(out, `${lines.slice(0, 1_000).join('\n')}\n`);
        await assert.rejects(ran({ from, out }, { needsKey: true }), /lines 1001 to 2000 .*--continue-late/);
    });

    it('sends a request again while items in it are unavailable', async (t) => {
        t.mock.timers.enable({ apis: ['setTimeout'] });
        let tries = 0;
        const send = async (items: Fields[]): Promise<Answered[]> =>
            items.map(() => (tries++ < 3 ? { ok: false, code: 'unavailable' } : { ok: true }));
        const running = ran({ from: newFile(LINES) }, { send });
        const ticking = setInterval(() => t.mock.timers.tick(1_000), 10);
        const { sent, stdout } = await running;
        clearInterval(ticking);
        assert.equal(sent.length, 2);
        assert.doesNotMatch(stdout, /unavailable/);
    });
});

describe('a batch whose key may send fewer items at once', () => {
    // More than one chunk, so that the service refuses the first request before the whole file is read.
    const names = Array.from({ length: 1_500 }, (_, index) => `${index}`.padEnd(100, 'x'));
    const json = names.map((credential) => `${JSON.stringify({ credential })}\n`).join('');
    const csv = ['credential', ...names, ''].join('\n');
    const send = async (items: Fields[]): Promise<Answered[]> => {
        const detail = 'This key may send 600 items at once.';
        const kind = { summary: 'x', code: undefined, request_id: undefined, retry_after: undefined };
        if (items.length > 600) throw new ApiError({ ...kind, status: 400, detail });
        return items.map(({ credential: n }) => ({ ok: true, n }));
    };
    for (const [name, from, input] of [
        ['NDJSON', () => newFile(json), ''],
        ['CSV', () => newFile(csv, 'csv'), ''],
        ['standard input', () => '-', json],
    ] as const) {
        it(`divides the rest by the limit that the service states: ${name}`, async () => {
            const { sent, stdout } = await ran({ from: from() }, { input, send });
            assert.deepEqual(
                sent.map((items) => items.length),
                [1_000, 300, 300, 300, 300, 300],
            );
            const results = stdout.trimEnd().split('\n');
            assert.deepEqual(
                results.map((line) => JSON.parse(line).n),
                names,
            );
        });
    }
});
