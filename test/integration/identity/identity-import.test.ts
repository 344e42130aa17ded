import assert from 'node:assert/strict';
import { pbkdf2Sync, randomBytes, scryptSync } from 'node:crypto';
import { describe, it } from 'node:test';
import argon2 from 'argon2';
import { z } from 'zod';
import { sql } from '../../../platform/postgres/db.ts';
import type { ImportedUser } from '../../../proto/gen/identity/v1/identity.ts';
import { testContext } from '../../support/harness.ts';
import { identityFixture, kind, newEmail, PASSWORD } from './identity.fixture.ts';

const fixture = await identityFixture();
const { db, identity } = fixture;

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64').replaceAll('=', '');
const salt = randomBytes(16);
const HASHES = {
    argon2id: await argon2.hash(PASSWORD, { memoryCost: 512, timeCost: 2, parallelism: 2 }),
    scrypt: `$scrypt$ln=10,r=8,p=1$${base64(salt)}$${base64(scryptSync(PASSWORD, salt, 32, { N: 1_024 }))}`,
    'pbkdf2-sha256': `$pbkdf2-sha256$i=1000$${base64(salt)}$${base64(pbkdf2Sync(PASSWORD, salt, 1_000, 32, 'sha256'))}`,
};
const OURS = /^\$argon2id\$v=19\$m=64,t=1,p=1\$/;

const trusted = () => testContext({ user_id: undefined, trusted: true });
const importUsers = async (...users: ImportedUser[]) => (await identity.importUsers({ users }, trusted())).results;
const logIn = (email: string, password = PASSWORD) => identity.login({ email, password }, testContext());

async function storedHash(email: string): Promise<string | undefined> {
    const row = z.strictObject({ password_hash: z.string() });
    const rows = await db.rows(
        sql.type(row)`SELECT password_hash FROM identity.users WHERE email = ${email}`,
        'test_hash',
    );
    return rows[0]?.password_hash;
}

describe('an imported account', () => {
    for (const [form, passwordHash] of Object.entries(HASHES)) {
        it(`with a hash of ${form} logs in, and has a hash of ours from then on`, async () => {
            const email = newEmail();
            const [result] = await importUsers({ email, password_hash: passwordHash, name: 'Ada', tier: 'pro' });
            await assert.rejects(logIn(email, `${PASSWORD}!`), kind('unauthenticated'));
            assert.equal(await storedHash(email), passwordHash);
            const { user } = await logIn(email);
            assert.deepEqual([user?.user_id, user?.name, user?.tier], [result?.user_id, 'Ada', 'pro']);
            const hash = await storedHash(email);
            assert.match(hash ?? '', OURS);
            await logIn(email);
            assert.equal(await storedHash(email), hash);
            await assert.rejects(logIn(email, `${PASSWORD}!`), kind('unauthenticated'));
        });
    }

    it('keeps a password that is changed while its first login is verified', async () => {
        const email = newEmail();
        const [result] = await importUsers({ email, password_hash: HASHES.scrypt });
        const outsider = await fixture.openTransaction();
        const changed = 'another pass phrase';
        const own = await argon2.hash(changed, { memoryCost: 64, timeCost: 1, parallelism: 1 });
        const statement = 'UPDATE identity.users SET password_hash = $1, password_version = 2 WHERE user_id = $2';
        await outsider.query(statement, [own, result?.user_id]);
        const first = assert.rejects(logIn(email), kind('unauthenticated'));
        await fixture.untilBlocked();
        await outsider.commit();
        await first;
        assert.equal(await storedHash(email), own);
        await logIn(email, changed);
    });

    it('changes its password with the one that it was imported with', async () => {
        const email = newEmail();
        const [result] = await importUsers({ email, password_hash: HASHES['pbkdf2-sha256'] });
        const context = testContext({ user_id: result?.user_id });
        const change = { current_password: PASSWORD, new_password: 'another pass phrase' };
        await identity.changePassword(change, context);
        await logIn(email, change.new_password);
    });
});

describe('an import', () => {
    it('answers for each user in order, and creates the valid ones', async () => {
        const [first, second] = [newEmail(), newEmail()];
        const passwordHash = HASHES.argon2id;
        const results = await importUsers(
            { email: first, password_hash: passwordHash },
            { email: first.toUpperCase(), password_hash: passwordHash },
            { email: 'nobody', password_hash: passwordHash },
            { email: newEmail(), password_hash: '$2b$10$abcdefghijklmnopqrstuv' },
            { email: newEmail(), password_hash: passwordHash.replace('m=512', 'm=999999') },
            { email: newEmail(), password_hash: passwordHash.replace('m=512', 'm=511') },
            { email: newEmail(), password_hash: HASHES.scrypt.replace('ln=10,r=8', 'ln=16,r=1') },
            { email: newEmail(), password_hash: passwordHash, tier: 'gold' },
            { email: newEmail(), password_hash: passwordHash, name: ' ' },
            { email: newEmail() },
            { password_hash: passwordHash },
            { malformed: 'The line is bad.' },
            { email: second, password_hash: passwordHash },
        );
        assert.deepEqual(
            results.map(({ error }) => error?.split(' ').slice(0, 3).join(' ')),
            [
                undefined,
                'This email is',
                'email must be',
                'password_hash must be',
                ...Array(3).fill('password_hash must have'),
                'tier must be',
                'name must not',
                'password_hash is missing.',
                'email is missing.',
                'The line is',
                undefined,
            ],
        );
        assert.ok(!JSON.stringify(results).includes('abcdefghijkl'));
        for (const email of [first, second]) await logIn(email);
    });

    it('that is repeated refuses the accounts that exist, and leaves them as they are', async () => {
        const email = newEmail();
        const user = { email, password_hash: HASHES.scrypt };
        await importUsers(user);
        await logIn(email);
        const hash = await storedHash(email);
        const [again, other] = await importUsers(user, { ...user, email: newEmail() });
        assert.deepEqual([again?.user_id, again?.error], [undefined, 'This email is already registered.']);
        assert.ok(other?.user_id);
        assert.equal(await storedHash(email), hash);
    });

    it('with an address several times creates the account of its first line', async () => {
        const users = Array.from({ length: 100 }, () => ({ email: newEmail(), password_hash: HASHES.scrypt }));
        const results = await importUsers(...users.flatMap((user) => [user, user, user, user]));
        assert.deepEqual(
            results.flatMap(({ user_id }, index) => (user_id === undefined ? [] : [index])),
            users.map((_, index) => 4 * index),
        );
    });

    it('has 1 to 500 users', async () => {
        await assert.rejects(importUsers(), kind('invalid'));
        const users = Array.from({ length: 501 }, () => ({ malformed: 'x' }));
        await assert.rejects(importUsers(...users), kind('invalid'));
        assert.equal((await importUsers(...users.slice(1))).length, 500);
    });
});
