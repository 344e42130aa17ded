import assert from 'node:assert/strict';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { until } from '../../../support/until.ts';
import { credentialToken, listToken, newSigner } from '../../../unit/verify/signed-lists.ts';
import { cred, folder, json, newIssuer, serviceBed } from './cred.ts';

const bed = await serviceBed({ PUBLIC_URL: 'http://localhost:8080' });
const issuer = await newIssuer(bed);
const env = { CRED_URL: bed.url, CRED_TOKEN: issuer.api_key };
const inFolder = (name: string): string => join(folder, name);

function issueArgs(...more: string[]): string[] {
    const required = [
        '--subject',
        'did:web:ada.example',
        '--type',
        'EmploymentCredential',
        '--claims',
        '{"role":"engineer"}',
    ];
    return ['issue', '--issuer', issuer.did, ...required, ...more];
}

/** A file with a new credential, and its id. */
async function issued(): Promise<{ path: string; id: string }> {
    const { credential, credential_id: id } = await json(issueArgs(), {
        env: { ...env, CRED_ISSUER_KEY: issuer.private_key },
    });
    const path = inFolder(`${id.slice(9)}.txt`);
    writeFileSync(path, `${credential}\n`);
    return { path, id };
}

describe('credentials', () => {
    it('are issued, verified, revoked and then no longer valid', async () => {
        const { path, id } = await issued();
        const args = ['verify', `@${path}`, '--issuer', issuer.did, '--revocation'];
        const valid = await cred(args, { env });
        assert.equal(valid.code, 0);
        assert.match(valid.stdout, /^valid\nissuer +did:key:.*\nsubject +did:web:ada\.example\n/);
        assert.match(valid.stdout, /claims +\{"role":"engineer"\}/);

        assert.equal((await json(['status', id], { env }))['revoked'], false);
        await json(['revoke', id, '--issuer', issuer.did, '--reason', 'left'], { env });
        assert.equal((await json(['status', id], { env }))['reason'], 'left');
        const revoked = await cred(args, { env });
        assert.equal(revoked.code, 1);
        assert.match(revoked.stdout, /^NOT valid: The credential has been revoked\.\n/);
        assert.equal((await cred(['verify', `@${path}`], { env })).code, 0); // nobody asked for the revocation

        await until('the events are listed', async () => {
            const { stdout } = await cred(['events', '--types', 'credential.issued,credential.revoked'], { env });
            return stdout.split('\n').filter((line) => line.includes(` ${id} `)).length === 2;
        });
        const { events, next } = await json(['events', '--types', 'credential.revoked'], { env });
        assert.equal(events.at(-1).data.credential_id, id);
        assert.equal((await cred(['events', '--after', String(next)], { env })).stdout, 'There are no such events.\n');
    });

    it('are verified offline without a call, a login or a service', async () => {
        const { path } = await issued();
        const { code, stdout } = await cred(['verify', `@${path}`, '--offline', '--json']);
        assert.equal(code, 0);
        assert.equal(JSON.parse(stdout).claims.role, 'engineer');
        const other = await cred(['verify', `@${path}`, '--offline', '--issuer', newSigner().did]);
        assert.equal(other.code, 1);
    });

    it('have the status that a list of the caller says', async () => {
        const signer = newSigner();
        const uri = 'https://status.example/1';
        const list = inFolder('list.jwt');
        writeFileSync(list, `${listToken({ signer, uri })}\n`); // 0xb9: the statuses 1, 0, 0, 1 …
        for (const [idx, code, status] of [
            [0, 1, 'revoked'],
            [1, 0, 'valid'],
        ] as const) {
            const input = credentialToken(signer, { status_list: { idx, uri, iss: signer.did } });
            const ran = await cred(['verify', '-', '--offline', '--list', list, '--json'], { input });
            assert.deepEqual([ran.code, JSON.parse(ran.stdout).status], [code, status]);
            assert.equal((await cred(['verify', '-', '--offline'], { input })).code, 1); // the status is unknown
        }
    });

    it('that are no token are not valid, online and offline', async () => {
        for (const args of [
            ['verify', 'x'],
            ['verify', 'x', '--issuer', issuer.did],
            ['verify', 'x', '--offline'],
        ]) {
            const { code, stdout } = await cred(args, { env });
            assert.equal(code, 1, args.join(' '));
            assert.match(stdout, /^NOT valid: /);
        }
    });

    it('cannot bring control characters to the terminal', async () => {
        const signer = newSigner();
        const input = credentialToken(signer, undefined, {
            claims: { name: '\u009b31m\u007f\u202e' },
            credential_type: 'a\u001b[2J\nb',
        });
        for (const more of [[], ['--json']]) {
            const { code, stdout } = await cred(['verify', '-', '--offline', ...more], { input });
            assert.equal(code, 0);
            assert.doesNotMatch(stdout, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
        }
    });

    it('are presented, and the presentation is verified', async () => {
        const { path } = await issued();
        const keyFile = inFolder('holder.key');
        const { did } = await json(['did', 'new', '--key-file', keyFile], { env });
        assert.equal(statSync(keyFile).mode & 0o777, 0o600);
        const audience = ['--audience', 'did:web:verifier.example'];
        const made = await json(
            [
                'present',
                '--holder',
                did,
                '--key-file',
                keyFile,
                '--credential',
                `@${path}`,
                ...audience,
                '--nonce',
                'n1',
            ],
            { env },
        );
        for (const [more, code] of [
            [['--nonce', 'n1', '--revocation'], 0],
            [['--nonce', 'n1', '--offline'], 0],
            [['--nonce', 'n2'], 1],
            [['--no-nonce', '--offline'], 0],
        ] as const) {
            const ran = await cred(['verify-presentation', '-', ...audience, ...more], {
                env,
                input: made['presentation'],
            });
            assert.equal(ran.code, code, more.join(' '));
            assert.match(ran.stdout, new RegExp(`credential 1 +valid: EmploymentCredential of ${issuer.did}`));
        }
        const again = await cred(['did', 'new', '--key-file', keyFile], { env });
        assert.equal(again.code, 2); // it overwrites no key
        assert.match(again.stderr, /it exists already/);
    });
});

describe('managed issuers', () => {
    it('sign without a private key, and verify offline with their DID document', async () => {
        const created = await json(['issuers', 'create', 'HR', '--method', 'web'], { env });
        const [id, did]: [string, string] = [created['issuer_id'], created['did']];
        const args = ['issue', '--issuer', did, '--subject', 'did:web:ada.example', '--type', 'T', '--claims', '{}'];
        const input: string = (await json(args, { env }))['credential'];
        const document = inFolder('did.json');
        writeFileSync(document, await (await fetch(`${bed.url}/issuers/${id}/did.json`)).text());
        assert.equal((await cred(['verify', '-', '--offline'], { input })).code, 1);
        assert.equal((await cred(['verify', '-', '--offline', '--did-document', document], { input })).code, 0);

        const { previous } = await json(['issuers', 'rotate', id], { env });
        assert.equal(previous, created['kid']);
        assert.equal((await cred(['verify', '-'], { env, input })).code, 0);
        await json(['issuers', 'compromise', id, previous, '--reason', 'stolen'], { env });
        assert.equal((await cred(['verify', '-'], { env, input })).code, 1);
        assert.match((await cred(['issuers', 'show', id], { env })).stdout, / compromised .* stolen$/m);
        await json(['issuers', 'archive', id], { env });
        assert.equal((await json(['issuers', 'list'], { env }))['total'], 1);
        assert.equal((await cred(args, { env })).code, 3);
    });
});

describe('wallets', () => {
    it('open only with the password, from standard input or the environment', async () => {
        const { path, id } = await issued();
        const input = 'open sesame\n';
        const wallet: string = (await json(['wallet', 'create', 'mine'], { env, input }))['wallet_id'];
        await json(['wallet', 'add', wallet, `@${path}`, '--metadata', '{"folder":"work"}'], { env, input });
        const opened = await json(['wallet', 'open', wallet], { env: { ...env, CRED_WALLET_PASSWORD: 'open sesame' } });
        assert.equal(opened['credentials'][0].credential_id, id);
        const wrong = await cred(['wallet', 'open', wallet], { env, input: 'wrong' });
        assert.equal(wrong.code, 3);
        assert.match(wrong.stderr, /^cred: The service refuses this: The wallet password is wrong\.\n$/);
        await json(['wallet', 'remove', wallet, id], { env, input });
        assert.match((await cred(['wallet', 'open', wallet], { env, input })).stdout, /The wallet is empty\./);
    });
});
