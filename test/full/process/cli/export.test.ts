import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { cred, folder, json, newIssuer, serviceBed } from './cred.ts';

const bed = await serviceBed();
const issuer = await newIssuer(bed);
const env = { CRED_URL: bed.url, CRED_TOKEN: issuer.token };

const linesIn = (text: string) =>
    text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));

/** The address of a service that answers every request in the same way. */
async function answering(t: TestContext, answer: (response: ServerResponse) => void): Promise<string> {
    const server = createServer((_request, response) => answer(response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.after(() => {
        server.close();
        server.closeAllConnections();
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('cred account export', () => {
    it('prints the lines of the export', async () => {
        const { code, stdout, stderr } = await cred(['account', 'export'], { env });
        assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
        const lines = linesIn(stdout);
        assert.deepEqual([lines[0].kind, lines.at(-1).kind], ['export', 'end']);
        assert.equal(lines.find(({ kind }) => kind === 'did').did, issuer.did);
    });

    it('writes them to a new file that only the user can read, and never over another one', async () => {
        const file = join(folder, 'account.ndjson');
        const { counts } = await json(['account', 'export', '--output', file], { env });
        assert.equal(statSync(file).mode & 0o777, 0o600);
        const lines = linesIn(readFileSync(file, 'utf8'));
        assert.deepEqual(lines.at(-1), { kind: 'end', counts });
        assert.deepEqual([counts.user, counts.key, counts.did], [1, 1, 1]);
        writeFileSync(file, 'mine');
        const again = await cred(['account', 'export', '--output', file], { env });
        assert.equal(again.code, 2);
        assert.match(again.stderr, /it exists already/);
        assert.equal(readFileSync(file, 'utf8'), 'mine');
    });

    it('fails without the last line, however the answer ends, and leaves no file', async (t) => {
        const line = '{"kind":"export","version":1}\n';
        const ended = await answering(t, (response) => response.end(line));
        const cut = await answering(t, (response) => {
            response.write(line, () => response.destroy());
        });
        const file = join(folder, 'incomplete.ndjson');
        for (const [url, error] of [
            [ended, /^cred: The export broke off before its last line\. Try again\.\n$/],
            [cut, /^cred: The connection broke off before the whole answer\. Try again\.\n$/],
        ] as const) {
            for (const output of [[], ['--output', file]]) {
                const { code, stderr } = await cred(['account', 'export', ...output], {
                    env: { ...env, CRED_URL: url },
                });
                assert.equal(code, 3);
                assert.match(stderr, error);
            }
            assert.ok(!existsSync(file));
        }
    });

    it('needs a session', async () => {
        const { code, stderr } = await cred(['account', 'export'], { env: { ...env, CRED_TOKEN: issuer.api_key } });
        assert.equal(code, 3);
        assert.match(stderr, /This needs a session, and an API key is not enough/);
    });
});
