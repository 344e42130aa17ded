import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Call, expectError, expectOk } from '../support/client.ts';
import { AUDIENCE, presenting, tampered } from '../support/presenting.ts';
import { issue, present, presentationBody } from '../support/world.ts';

const { account, token, issuer, holder, other, one, verify } = await presenting();
const good = presentationBody(holder, [one.credential]);

const create = (body: unknown): Call => ({ method: 'POST', path: '/v1/presentations', token, body });

/** Returns how many presentations the account has created. */
async function made(): Promise<number> {
    return (await expectOk(200, { path: '/v1/me', token: account.token })).stats.presentations_created;
}

describe('a presentation', () => {
    it('shows its holder, its audience and each credential, whether the holder is its subject or not', async () => {
        const own = await issue(token, issuer, { subject_did: holder.did });
        const before = await made();
        const { presentation, ...rest } = await present(token, holder, [one.credential, own.credential]);
        assert.match(presentation, /^v4\.public\./);
        const { presentation_id, created_at } = rest;
        assert.match(presentation_id, /^urn:uuid:[0-9a-f-]{36}$/);
        assert.deepEqual(rest, {
            presentation_id,
            holder: holder.did,
            audience: AUDIENCE,
            credentials_count: 2,
            created_at,
        });
        assert.equal(await made(), before + 1);
        const result = await verify(presentation);
        assert.deepEqual(
            [result.valid, result.holder, result.audience, result.created_at],
            [true, holder.did, AUDIENCE, created_at],
        );
        assert.equal('nonce_valid' in result || 'error' in result, false);
        assert.deepEqual(
            result.credentials.map(({ valid, subject }: { valid: boolean; subject: string }) => [valid, subject]),
            [
                [true, one.subject],
                [true, holder.did],
            ],
        );
    });

    it('may contain an expired credential, and a hundred credentials in all', async () => {
        const expired = await issue(token, issuer, { expiration_date: '2001-01-01' });
        const { credentials_count } = await expectOk(
            201,
            create(
                presentationBody(
                    holder,
                    Array.from({ length: 100 }, (_, at) => (at ? one : expired).credential),
                ),
            ),
        );
        assert.equal(credentials_count, 100);
    });
});

describe('no presentation is created from', () => {
    const without = (name: string) => Object.fromEntries(Object.entries(good).filter(([key]) => key !== name));
    const bad: Record<string, unknown> = {
        'no body': undefined,
        'an array': [good],
        'an empty list of credentials': { ...good, credentials: [] },
        'a string as credentials': { ...good, credentials: one.credential },
        'a list of numbers as credentials': { ...good, credentials: [5] },
        'a credential that is null': { ...good, credentials: [one.credential, null] },
        'a credential that is not a token': { ...good, credentials: ['x'] },
        'a good and a tampered credential': { ...good, credentials: [one.credential, tampered(one.credential)] },
        'a hundred and one credentials': { ...good, credentials: Array.from({ length: 101 }, () => one.credential) },
        'another holder’s key': { ...good, holder_private_key: other.private_key },
        'a key that is not base64': { ...good, holder_private_key: 'not base64!!' },
        'a key of 31 bytes': { ...good, holder_private_key: Buffer.alloc(31).toString('base64') },
        'a holder of another method': { ...good, holder_did: 'did:web:holder.example' },
        'an audience that is not a DID': { ...good, audience: 'https://verifier.example' },
        'an incomplete DID as audience': { ...good, audience: 'did:web:' },
        'a nonce that is a number': { ...good, nonce: 5 },
        'an empty nonce': { ...good, nonce: '' },
        'an empty domain': { ...good, domain: '' },
        'a nonce with NUL': { ...good, nonce: 'a\0b' },
        'a nonce with a lone surrogate': JSON.stringify({ ...good, nonce: 'a\ud800' }),
        'a nonce of 1,001 characters': { ...good, nonce: 'x'.repeat(1_001) },
        'a domain that is an array': { ...good, domain: ['shop.example'] },
        'a domain with NUL': { ...good, domain: '\0' },
    };
    for (const name of ['holder_did', 'holder_private_key', 'credentials', 'audience']) {
        bad[`no ${name}`] = without(name);
        bad[`null as ${name}`] = { ...good, [name]: null };
        bad[`a number as ${name}`] = { ...good, [name]: 5 };
        bad[`an empty ${name}`] = { ...good, [name]: '' };
    }
    it('more credentials than a verify request could contain', async () => {
        const { credential } = await issue(token, issuer, { claims: { text: 'x'.repeat(64_000) } });
        const of = (copies: number) =>
            presentationBody(
                holder,
                Array.from({ length: copies }, () => credential),
            );
        const { presentation } = await expectOk(201, create(of(9)));
        assert.equal((await verify(presentation)).valid, true);
        await expectError(413, create(of(10)));
    });

    for (const [what, body] of Object.entries(bad)) {
        it(what, async () => {
            const before = await made();
            const { text } = await expectError(400, create(body));
            assert.ok(!text.includes(holder.private_key) && !text.includes(other.private_key));
            assert.equal(await made(), before);
        });
    }

    it('a presentation in place of a credential, and neither verifies as the other', async () => {
        const { presentation } = await present(token, holder, [one.credential]);
        await expectError(400, create({ ...good, credentials: [presentation] }));
        assert.equal((await verify(one.credential)).valid, false);
        const body = { credential: presentation, issuer_did: holder.did };
        const path = '/v1/credentials/verify';
        assert.equal((await expectOk(200, { method: 'POST', path, token, body })).valid, false);
    });
});
