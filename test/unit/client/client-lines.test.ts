import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ApiError, ConnectionError, createClient } from '../../../client/src/client.ts';
import { collected } from '../../support/collected.ts';
import { type Reply, refusal, scriptedServer } from './scripted-server.ts';

/** The lines of an answer, as `replies` write them. */
async function linesOf(t: TestContext, reply: Reply): Promise<{ lines: unknown[]; error: unknown }> {
    const { base_url } = await scriptedServer(t, [reply]);
    const lines: unknown[] = [];
    try {
        for await (const line of createClient({ base_url, tries: 1 }).me.export()) lines.push(line);
    } catch (error) {
        return { lines, error };
    }
    return { lines, error: undefined };
}

const LINES = [{ kind: 'export' }, { kind: 'did', did: 'did:web:ü' }, { kind: 'end' }];
const TEXT = LINES.map((line) => `${JSON.stringify(line)}\n`).join('');

test('lines are yielded as they come, wherever the pieces of the answer end', async (t) => {
    const { lines, error } = await linesOf(t, async (response) => {
        for (const byte of Buffer.from(TEXT)) {
            response.write(Buffer.of(byte));
            await nextTurn();
        }
        response.end();
    });
    assert.deepEqual([lines, error], [LINES, undefined]);
});

test('an answer of lines that is refused, breaks off or is not JSON is an error', async (t) => {
    const refusedLines = await linesOf(t, refusal(429, { 'Retry-After': '10' }));
    assert.ok(refusedLines.error instanceof ApiError && refusedLines.error.retry_after === 10);
    const cut = await linesOf(t, (response) => {
        response.write(TEXT, () => response.destroy());
    });
    assert.ok(cut.error instanceof ConnectionError);
    const other = await linesOf(t, (response) => response.end(`${TEXT}<h1>Gateway`));
    assert.ok(other.error instanceof ConnectionError);
    assert.deepEqual(other.lines, LINES);
});

test('whoever stops reading lines closes their connection, and a silent service is given up', async (t) => {
    const closed = Promise.withResolvers<void>();
    const { base_url } = await scriptedServer(t, [
        (response) => {
            response.on('close', () => closed.resolve());
            response.write(TEXT);
        },
    ]);
    const client = createClient({ base_url, tries: 1 });
    for await (const line of client.me.export()) {
        assert.deepEqual(line, LINES[0]);
        break;
    }
    await closed.promise;
    await assert.rejects(collected(client.me.export({ timeout_ms: 200 })), /No answer within 200 ms/);
    const givenUp = new AbortController();
    const lines = client.me.export({ signal: givenUp.signal });
    await lines.next();
    givenUp.abort(new Error('enough'));
    await assert.rejects(collected(lines), /enough/);
});
