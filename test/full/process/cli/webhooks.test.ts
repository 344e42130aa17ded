import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, it } from 'node:test';
import { pickPort } from '../../../../deploy/local/ports.ts';
import { until } from '../../../support/until.ts';
import { cred, folder, json, newIssuer, serviceBed, started } from './cred.ts';

const bed = await serviceBed();
const { api_key } = await newIssuer(bed);
const env = { CRED_URL: bed.url, CRED_TOKEN: api_key };

/** Starts a receiver, which reads the secret from the environment. Returns its lines as they come. */
async function listening(port: number, secret: string) {
    const files = { cert: join(folder, 'receiver.pem'), key: join(folder, 'receiver-key.pem') };
    writeFileSync(files.cert, bed.receiver.cert);
    writeFileSync(files.key, bed.receiver.key);
    const args = [
        'webhooks',
        'listen',
        '--port',
        String(port),
        '--cert',
        files.cert,
        '--key-file',
        files.key,
        '--json',
    ];
    const child = started(args, { env: { CRED_WEBHOOK_SECRET: secret } });
    assert.ok(child.stdout && child.stderr);
    const lines: Array<{ valid: boolean; verdict: string; id: string; body: string }> = [];
    createInterface(child.stdout).on('line', (line) => lines.push(JSON.parse(line)));
    await once(child.stderr, 'data'); // it says where it listens
    return {
        lines,
        async end() {
            child.kill('SIGINT');
            await once(child, 'exit');
        },
    };
}

describe('cred webhooks', () => {
    it('creates a webhook whose deliveries a receiver verifies and shows', async (context) => {
        const port = await pickPort();
        const created = await json(
            ['webhooks', 'create', `https://127.0.0.1:${port}/`, '--type', 'key.created', '--description', 'here'],
            { env },
        );
        const { webhook_id: id, secret } = created;
        assert.equal((await json(['webhooks', 'list'], { env }))['webhooks'][0].webhook_id, id);
        const receiver = await listening(port, secret);
        context.after(() => receiver.end());
        // The event of the key may be numbered after the webhook is created, and is then delivered, too.
        const tests = () => receiver.lines.filter(({ body }) => JSON.parse(body).type === 'webhook.test');
        await json(['webhooks', 'test', id], { env });
        await until('the test is shown', () => tests().length === 1);
        assert.equal(tests()[0]?.verdict, 'valid');
        await until('it is delivered', async () => {
            const { deliveries } = await json(['webhooks', 'deliveries', id, '--state', 'delivered'], { env });
            return deliveries.some(({ type }: { type: string }) => type === 'webhook.test');
        });

        await json(['webhooks', 'rotate-secret', id, '--overlap', '0'], { env });
        await json(['webhooks', 'test', id], { env });
        await until('the refusal is shown', () => tests().length >= 2);
        assert.match(tests()[1]?.verdict ?? '', /the secret has not signed it/);

        const { stdout } = await cred(['webhooks', 'deliveries', id], { env });
        assert.match(stdout, /webhook\.test +waiting +\d+ .* 400 /);
        assert.deepEqual(await json(['webhooks', 'delete', id], { env }), { webhook_id: id });
        assert.match((await cred(['webhooks', 'list'], { env })).stdout, /There are no webhooks/);
    });

    it('pauses a webhook, and makes it active again', async () => {
        const { webhook_id: id } = await json(['webhooks', 'create', 'https://127.0.0.1:1024/'], { env });
        const listed = async () => (await json(['webhooks', 'list'], { env }))['webhooks'][0].state;
        assert.equal((await json(['webhooks', 'pause', id], { env }))['state'], 'paused');
        assert.equal(await listed(), 'paused');
        assert.equal((await json(['webhooks', 'activate', id], { env }))['state'], 'active');
        assert.equal(await listed(), 'active');
    });

    it('refuses what it cannot use', async () => {
        const refused = async (args: string[], more: Record<string, string> = {}) => {
            const { code, stderr } = await cred(['webhooks', ...args], { env: { ...env, ...more } });
            assert.notEqual(code, 0);
            return stderr;
        };
        assert.match(await refused(['create', 'http://shop.example/']), /url must begin with https/);
        const time = ['--from', '2026-11-20T00:00:00Z'];
        for (const given of [time, ['--event', 'a.1', ...time]])
            assert.match(await refused(['replay', 'x', ...given]), /--event, or --from and --to/);
        assert.match(await refused(['listen'], { CRED_WEBHOOK_SECRET: 'whsec_short' }), /whsec_/);
        assert.match(
            await refused(['listen', '--cert', 'a.pem'], { CRED_WEBHOOK_SECRET: 'x' }),
            /--cert and --key-file/,
        );
    });
});
