import assert from 'node:assert/strict';
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { cred, folder, newIssuer, serviceBed } from './cred.ts';

const bed = await serviceBed();
const issuer = await newIssuer(bed);
const env = { CRED_URL: bed.url, CRED_TOKEN: issuer.api_key, CRED_ISSUER_KEY: issuer.private_key };
const HOUR_MS = 3_600_000;

const planOf = (out: string) => JSON.parse(readFileSync(`${out}.plan`, 'utf8'));
/** Lets a batch have begun so many hours ago. */
function beganBefore(out: string, hours: number): void {
    const startedAt = new Date(Date.now() - hours * HOUR_MS).toISOString();
    writeFileSync(`${out}.plan`, JSON.stringify({ ...planOf(out), started_at: startedAt }));
}

/** Runs a batch of three lines, and returns how to run it again. */
async function done(name: string): Promise<{ args: string[]; out: string; whole: string }> {
    const [from, out] = [join(folder, `${name}.ndjson`), join(folder, `${name}-out.ndjson`)];
    const item = { subject_did: 'did:web:a.example', credential_type: 'T', claims: {} };
    writeFileSync(from, `${JSON.stringify(item)}\n`.repeat(3));
    const args = ['batch', 'issue', '--from', from, '--issuer', issuer.did, '--out', out];
    const { code, stderr } = await cred(args, { env });
    assert.equal(code, 0, stderr);
    return { args, out, whole: readFileSync(out, 'utf8') };
}

describe('a batch that began long ago', () => {
    it('is continued within 24 hours, and refused after them before anything is sent', async () => {
        const { args, out, whole } = await done('late');
        assert.ok(Math.abs(Date.now() - Date.parse(planOf(out).started_at)) < HOUR_MS);
        truncateSync(out, 0);
        beganBefore(out, 24.001);
        const { code, stdout, stderr } = await cred(args, { env });
        assert.deepEqual({ code, stdout, written: readFileSync(out, 'utf8') }, { code: 2, stdout: '', written: '' });
        assert.match(stderr, /^cred: The batch began more than 24 hours ago, .* lines 1 to 3 .*--continue-late.*\n$/);
        beganBefore(out, 23.99);
        assert.equal((await cred(args, { env })).code, 0);
        assert.equal(readFileSync(out, 'utf8'), whole);
    });

    it('is refused if its plan does not say when it began', async () => {
        const { args, out } = await done('unknown');
        truncateSync(out, 0);
        const { started_at: _, ...plan } = planOf(out);
        writeFileSync(`${out}.plan`, JSON.stringify(plan));
        assert.equal((await cred(args, { env })).code, 2);
    });

    it('is no fault if nothing is left to do', async () => {
        const { args, out, whole } = await done('complete');
        beganBefore(out, 48);
        assert.equal((await cred(args, { env })).code, 0);
        assert.equal(readFileSync(out, 'utf8'), whole);
    });

    it('is continued with --continue-late, as if it began then', async () => {
        const { args, out, whole } = await done('anyway');
        truncateSync(out, 0);
        beganBefore(out, 48);
        assert.equal((await cred([...args, '--continue-late'], { env })).code, 0);
        assert.equal(readFileSync(out, 'utf8'), whole); // this service has not forgotten anything
        assert.ok(Date.now() - Date.parse(planOf(out).started_at) < HOUR_MS);
    });

    it('is continued if it only verifies, because the service remembers nothing about that', async () => {
        const { out: from } = await done('verified');
        const out = join(folder, 'verdicts.ndjson');
        const args = ['batch', 'verify', '--from', from, '--out', out];
        assert.equal((await cred(args, { env })).code, 0);
        truncateSync(out, 0);
        beganBefore(out, 48);
        assert.equal((await cred(args, { env })).code, 0);
    });
});
