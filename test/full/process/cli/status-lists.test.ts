import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { cred, folder, json, newIssuer, serviceBed } from './cred.ts';

/** After how many seconds a list shows a revocation. */
const LIST_SECONDS = 3;

const bed = await serviceBed({ PUBLIC_URL: 'http://localhost:8080', STATUS_LIST_SECONDS: String(LIST_SECONDS) });
const issuer = await newIssuer(bed);
const env = { CRED_URL: bed.url, CRED_TOKEN: issuer.api_key, CRED_ISSUER_KEY: issuer.private_key };
const list = join(folder, 'list.jwt');

/** Writes the list at this address to a file. The service under test has another host than PUBLIC_URL. */
async function fetchList(uri: string): Promise<void> {
    assert.match(uri, /^http:\/\/localhost:8080\/v1\/status-lists\//);
    const answer = await fetch(new URL(new URL(uri).pathname, bed.url));
    assert.equal(answer.status, 200);
    writeFileSync(list, await answer.text());
}

/** The verdict of the offline verifier with the list of the file. */
async function verdict(input: string) {
    const { code, stdout } = await cred(['verify', '-', '--offline', '--list', list, '--json'], { input });
    const { valid, status } = JSON.parse(stdout);
    return { code, valid, status };
}

/** Waits until the list at this address shows that a credential is revoked. */
async function assertShown(uri: string, credential: string): Promise<void> {
    const until = performance.now() + LIST_SECONDS * 1_000;
    for (;;) {
        const isLast = performance.now() > until;
        await fetchList(uri);
        const found = await verdict(credential);
        if (found.status === 'revoked') return assert.deepEqual([found.code, found.valid], [1, false]);
        assert.ok(!isLast, 'the list does not show the revocation in time');
        await delay(200);
    }
}

const VALID = { code: 0, valid: true, status: 'valid' };

describe('a credential on a status list', () => {
    it('is issued, verified offline with the list of the service, and revoked there', async () => {
        const args = [
            'issue',
            '--issuer',
            issuer.did,
            '--subject',
            'did:web:a.example',
            '--type',
            'T',
            '--claims',
            '{}',
        ];
        const { credential, credential_id: id, status } = await json([...args, '--status-list'], { env });
        const { uri, iss } = status.status_list;
        assert.match(iss, /^did:key:/);
        await fetchList(uri);
        assert.deepEqual(await verdict(credential), VALID);
        assert.equal((await cred(['verify', '-', '--offline'], { input: credential })).code, 1); // without the list
        await json(['revoke', id, '--issuer', issuer.did], { env });
        await assertShown(uri, credential);
    });

    it('has no place there if nobody asks for one', async () => {
        const args = [
            'issue',
            '--issuer',
            issuer.did,
            '--subject',
            'did:web:a.example',
            '--type',
            'T',
            '--claims',
            '{}',
        ];
        const { credential, status } = await json(args, { env });
        assert.equal(status, undefined);
        assert.equal((await cred(['verify', '-', '--offline'], { input: credential })).code, 0);
    });

    it('is issued for each line of a batch, with a place of its own', async () => {
        const [from, out] = [join(folder, 'listed.ndjson'), join(folder, 'listed-out.ndjson')];
        const item = (name: string) => ({ subject_did: `did:web:${name}.example`, credential_type: 'T', claims: {} });
        writeFileSync(from, ['a', 'b', 'c'].map((name) => `${JSON.stringify(item(name))}\n`).join(''));
        const args = ['batch', 'issue', '--from', from, '--out', out, '--issuer', issuer.did, '--status-list'];
        await json(args, { env });
        const results = readFileSync(out, 'utf8')
            .trimEnd()
            .split('\n')
            .map((line) => JSON.parse(line));
        const places = results.map(({ status }) => `${status.status_list.uri} ${status.status_list.idx}`);
        assert.equal(new Set(places).size, 3);
        for (const { credential, status } of results) {
            await fetchList(status.status_list.uri);
            assert.deepEqual(await verdict(credential), VALID);
        }
        const [first, second] = results;
        await json(['revoke', first.credential_id, '--issuer', issuer.did], { env });
        await assertShown(first.status.status_list.uri, first.credential);
        await fetchList(second.status.status_list.uri);
        assert.deepEqual(await verdict(second.credential), VALID);
    });
});
