import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { checkpointText, signedNote } from '../../../../platform/transparency/signed-note.ts';
import { encodeDidKey } from '../../../../workers/crypto/did-key.ts';
import { generateKeyPair, sign } from '../../../../workers/crypto/ed25519.ts';
import { until } from '../../../support/until.ts';
import { cred, folder, json, newIssuer, serviceBed } from './cred.ts';

const bed = await serviceBed();
await newIssuer(bed);
const env = { CRED_URL: bed.url, CRED_INTERNAL_SECRET: bed.secret };

const { seed, public_key: publicKey } = generateKeyPair();
const did = encodeDidKey(publicKey);
const other = encodeDidKey(generateKeyPair().public_key);

/** Adds the checkpoint that the service would make within an hour, of another key. */
function signed(lines: readonly string[]): string[] {
    const { leaf, root } = JSON.parse(lines.at(-2) ?? '');
    const size = leaf + 1;
    const text = checkpointText({ origin: did, size, root: Buffer.from(root, 'base64') });
    const note = signedNote(text, { name: did, publicKey }, (message) => sign(message, seed, publicKey));
    const checkpoint = JSON.stringify({ kind: 'checkpoint', size, note });
    return [...lines.slice(0, -1), checkpoint, JSON.stringify({ kind: 'end', size, checkpoint: size })];
}

function fileOf(name: string, lines: readonly string[]): string {
    const file = join(folder, name);
    writeFileSync(file, lines.map((line) => `${line}\n`).join(''));
    return file;
}

describe('cred audit', () => {
    it('exports the events of all accounts, and verifies them offline', async () => {
        const exported = async () => (await cred(['audit', 'export'], { env })).stdout.trimEnd().split('\n');
        await until('the key is an event', async () => (await exported()).some((line) => line.includes('key.created')));
        const file = join(folder, 'audit.ndjson');
        const { size } = await json(['audit', 'export', '--output', file], { env });
        const all = readFileSync(file, 'utf8').trimEnd().split('\n');
        const own = all.filter((line) => line.startsWith('{"kind":"checkpoint",')); // the service may have signed meanwhile
        const lines = all
            .filter((line) => !own.includes(line))
            .with(-1, JSON.stringify({ kind: 'end', size, checkpoint: 0 }));
        assert.equal(lines.length, size + 2);

        const unsigned = await cred(['audit', 'verify', fileOf('unsigned.ndjson', lines)]);
        assert.equal(unsigned.code, 1);
        assert.equal(
            unsigned.stdout,
            `NOT valid: line ${size + 2}. No checkpoint is before it, so nobody has signed this. Export it again in an hour.\n`,
        );

        const whole = fileOf('signed.ndjson', signed(lines));
        const document = fileOf('did.json', [JSON.stringify({ id: did })]);
        for (const issuer of [did, `@${document}`]) {
            const { valid, signed_leaves, issuers } = await json(['audit', 'verify', whole, '--issuer', issuer], {});
            assert.deepEqual({ valid, signed_leaves, issuers }, { valid: true, signed_leaves: size, issuers: [did] });
        }
        const kept = await json(['audit', 'verify', whole, '--checkpoint', whole], {});
        assert.equal(kept.valid, true);
        const wrong = await cred(['audit', 'verify', whole, '--checkpoint', file]);
        assert.match(wrong.stderr, /--checkpoint must be a file with a line that has a checkpoint/);

        const strange = await cred(['audit', 'verify', whole, '--issuer', other]);
        assert.deepEqual([strange.code, /line \d+\. It is of another issuer/.test(strange.stdout)], [1, true]);
        assert.equal((await cred(['audit', 'verify', whole, '--issuer', 'did:web:example.com'])).code, 2);

        const text = readFileSync(whole, 'utf8');
        for (const [form, line] of [
            [text.replaceAll('\n', '\r\n'), 1],
            [`\uFEFF${text}`, 1],
            [Buffer.from(text.replace('\n', '\xff\n'), 'latin1'), 1],
            [text.slice(0, -1), size + 3],
        ] as const) {
            const file = join(folder, 'form.ndjson');
            writeFileSync(file, form);
            const { code, stdout } = await cred(['audit', 'verify', file]);
            assert.deepEqual([code, stdout.startsWith(`NOT valid: line ${line}.`)], [1, true], stdout);
        }

        const changed = signed(lines).map((line) => line.replace('key.created', 'key.revoked'));
        const first = 1 + changed.findIndex((line) => line.includes('key.revoked'));
        const named = await cred(['audit', 'verify', fileOf('changed.ndjson', changed)]);
        assert.equal(named.stdout, `NOT valid: line ${first}. It was changed: it does not have the hash.\n`);

        const emptied = signed(lines);
        const at = emptied.findIndex((line) => line.includes('"count":1,') && line.includes('key.created'));
        const row = JSON.parse(emptied[at] ?? '');
        const hidden = fileOf('hidden.ndjson', emptied.with(at, JSON.stringify({ ...row, data: [{}] })));
        const refused = await cred(['audit', 'verify', hidden]);
        assert.equal(refused.code, 1);
        assert.ok(refused.stdout.startsWith(`NOT valid: line ${at + 1}. Rows without data`), refused.stdout);
        const { valid, unexplained_lines } = await json(['audit', 'verify', hidden, '--accept-erased'], {});
        assert.deepEqual([valid, unexplained_lines], [true, [at + 1]]);
    });

    it('is for trusted callers, and refuses what is no time', async () => {
        const without = await cred(['audit', 'export'], { env: { CRED_URL: bed.url } });
        assert.match(without.stderr, /needs the internal secret/);
        const wrong = await cred(['audit', 'export', '--from', 'yesterday'], { env });
        assert.deepEqual([wrong.code, /from and to must be times since 1970/.test(wrong.stderr)], [3, true]);
    });
});
