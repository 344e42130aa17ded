import assert from 'node:assert/strict';
import { pbkdf2Sync, randomBytes, scryptSync } from 'node:crypto';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { describe, it } from 'node:test';
import argon2 from 'argon2';
import { expectError, GATEWAYS, INTERNAL_SECRET, PROCESSES, send, service } from '../support/client.ts';
import { newEmail } from '../support/world.ts';

const PASSWORD = 'correct horse battery';
const PATH = '/internal/v1/admin/users/import';
const NDJSON = { 'content-type': 'application/x-ndjson' };

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64').replaceAll('=', '');
const salt = randomBytes(16);
const PBKDF2 = `$pbkdf2-sha256$i=1000$${base64(salt)}$${base64(pbkdf2Sync(PASSWORD, salt, 1_000, 32, 'sha256'))}`;
const HASHES = {
    argon2id: await argon2.hash(PASSWORD, { memoryCost: 1_024, timeCost: 2, parallelism: 4 }),
    scrypt: `$scrypt$ln=12,r=8,p=1$${base64(salt)}$${base64(scryptSync(PASSWORD, salt, 32, { N: 4_096 }))}`,
    'pbkdf2-sha256': PBKDF2,
};

const aUser = (email = newEmail()) => ({ email, password_hash: PBKDF2 });
const logIn = (email: string, password = PASSWORD) => service.internal.auth.login({ email, password });

async function importText(body: string) {
    const { status, text } = await send({ method: 'POST', path: PATH, internal: true, headers: NDJSON, body });
    assert.equal(status, 200, text);
    assert.ok(text.endsWith('\n'));
    return text
        .slice(0, -1)
        .split('\n')
        .map((line) => JSON.parse(line));
}

/** Begins an import whose body does not end. The caller ends it. */
function beginImport(text: string) {
    const headers = { ...NDJSON, 'x-internal-secret': INTERNAL_SECRET };
    const sent = request(`${GATEWAYS[0]}${PATH}`, { method: 'POST', headers, agent: false });
    sent.on('error', () => {});
    sent.write(text);
    return sent;
}

/** The head of the answer. It shows that the import has begun, or was refused. */
const answerOf = (sent: ClientRequest) => new Promise<IncomingMessage>((resolve) => sent.on('response', resolve));

describe('an imported user', () => {
    for (const [form, passwordHash] of Object.entries(HASHES)) {
        it(`logs in with the password of its ${form} hash, again and again, and with no other`, async () => {
            const email = newEmail();
            const user = { email, password_hash: passwordHash, name: 'Ada', tier: 'basic' as const };
            const { results } = await service.internal.admin.importUsers({ users: [user] });
            await assert.rejects(logIn(email, `${PASSWORD}!`), { status: 401 });
            for (let time = 0; time < 2; time++) {
                const { user_id, name, tier } = await logIn(email);
                assert.deepEqual([{ line: 1, status: 'created', user_id }, name, tier], [results[0], 'Ada', 'basic']);
            }
            await assert.rejects(logIn(email, `${PASSWORD}!`), { status: 401 });
        });
    }
});

describe('an import', () => {
    it('answers each line with a line, in order', async () => {
        const known = aUser();
        await service.internal.admin.importUsers({ users: [known] });
        const lines = [
            JSON.stringify(aUser()),
            JSON.stringify(known),
            'no JSON',
            '',
            '[1]',
            '{"email":7,"password_hash":"x"}',
            JSON.stringify({ ...aUser(), name: 'x'.repeat(9_000) }),
            JSON.stringify({ ...aUser(), password_hash: PBKDF2.replace('i=1000', 'i=9000000') }),
            JSON.stringify(aUser()), // without a newline
        ];
        const answer = await importText(lines.join('\n'));
        assert.deepEqual(
            answer.map(({ line, status }) => [line, status]),
            lines.map((_, index) => [index + 1, index === 0 || index === 8 ? 'created' : 'refused']),
        );
        const errors = [
            /already registered/,
            /not usable JSON/,
            /not usable JSON/,
            /must be a JSON object/,
            /^email is missing or of the wrong type/,
            /longer than 8 KiB/,
            /^password_hash must have i from/,
        ];
        for (const [index, error] of errors.entries()) assert.match(answer[index + 1].error, error);
    });

    it('has more lines than one call of the service, and refuses all of them when it is repeated', async () => {
        const body = Array.from({ length: 1_203 }, () => `${JSON.stringify(aUser())}\n`).join('');
        const first = await importText(body);
        assert.ok(first.every(({ line, status }, index) => line === index + 1 && status === 'created'));
        assert.equal(new Set(first.map(({ user_id }) => user_id)).size, 1_203);
        const again = await importText(body);
        assert.ok(again.every(({ error }) => error === 'This email is already registered.'));
        assert.equal(again.length, 1_203);
    });

    it('is refused without lines, as another media type, too large, and without the secret', async () => {
        const call = { method: 'POST', path: PATH, internal: true, headers: NDJSON, body: JSON.stringify(aUser()) };
        const { body } = await expectError(400, { ...call, body: '' });
        assert.equal(body.error, 'The body has no lines.');
        await expectError(415, { ...call, headers: { 'content-type': 'application/json' } });
        await expectError(415, { ...call, headers: { ...NDJSON, 'content-encoding': 'gzip' } });
        await expectError(401, { ...call, internal: false });
        const large = await expectError(413, { ...call, body: 'x'.repeat((64 << 20) + 1) });
        assert.equal(large.body.error, 'The body is larger than 64 MiB.');
    });

    it('is refused while two others of its gateway are under way, and accepted afterwards', async () => {
        const lines = Array.from({ length: 500 }, () => `${JSON.stringify(aUser())}\n`).join('');
        const open = Array.from({ length: 2 * PROCESSES + 1 }, () => beginImport(lines));
        const answers = await Promise.all(open.map(answerOf));
        const refused = answers.filter(({ statusCode }) => statusCode !== 200);
        assert.ok(refused.length >= 1 && (PROCESSES > 1 || refused.length === 1), `${refused.length}`);
        for (const { statusCode, headers } of refused)
            assert.deepEqual([statusCode, headers['retry-after']], [503, '10']);
        for (const sent of open) sent.destroy();
        let status: number | undefined = 503;
        while (status === 503) {
            const sent = beginImport(`${JSON.stringify(aUser())}\n`);
            sent.end();
            status = (await answerOf(sent)).statusCode;
            sent.destroy();
        }
        assert.equal(status, 200);
    });
});
