import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type Call, expectOk } from '../../../e2e/support/client.ts';
import { race, together } from '../../../e2e/support/races.ts';
import { issueBody, newAccount, newDid, newEmail, newKey } from '../../../e2e/support/world.ts';

/** Makes the call many times at once with one key. All answers must be equal; returns one of them. */
async function once(call: Call, callers: number, dice: Parameters<typeof together>[1]): Promise<string> {
    const headers = { 'idempotency-key': randomUUID() };
    const made = await together(
        Array.from({ length: callers }, () => ({ ...call, headers })),
        dice,
    );
    const texts = new Set(made.map(({ answer }) => `${answer.status} ${answer.text}`));
    assert.equal(texts.size, 1, [...texts].join('\n'));
    const [text = ''] = texts;
    assert.match(text, /^20[01] /);
    return text;
}

race('callers with one Idempotency-Key issue one credential and get the same bytes', 6, async (callers, dice) => {
    const { token } = await newAccount();
    const issuer = await newDid(token);
    const call = { method: 'POST', path: '/v1/credentials', token, body: issueBody(issuer, 'did:web:a.example') };
    const text = await once(call, callers, dice);
    const { credentials } = await expectOk(200, { path: `/v1/credentials/by-issuer/${issuer.did}`, token });
    assert.equal(credentials.length, 1);
    assert.ok(text.includes(credentials[0].credential_id));
});

race('callers with one Idempotency-Key generate one API key and get the same secret', 3, async (callers, dice) => {
    const { token } = await newAccount();
    const call = { method: 'POST', path: '/v1/keys/generate', token, body: { name: 'key' } };
    await once(call, callers, dice);
    assert.equal((await expectOk(200, { path: '/v1/keys', token })).total, 1);
});

race('callers with one Idempotency-Key create one DID and get the same private key', 3, async (callers, dice) => {
    const account = await newAccount();
    const { api_key: token } = await newKey(account);
    await once({ method: 'POST', path: '/v1/did', token, body: {} }, callers, dice);
    const { quotas } = await expectOk(200, { path: '/v1/me/quotas', token: account.token });
    assert.equal(quotas.dids.used, 1);
});

race('callers with one Idempotency-Key register one account', 3, async (callers, dice) => {
    const body = { email: newEmail(), password: 'correct horse battery' };
    await once({ method: 'POST', path: '/internal/v1/auth/register', internal: true, body }, callers, dice);
});

race('callers with one Idempotency-Key create one wallet', 3, async (callers, dice) => {
    const { token } = await newAccount();
    const body = { name: 'wallet', password: 'wallet password' };
    await once({ method: 'POST', path: '/v1/wallets', token, body }, callers, dice);
    const { quotas } = await expectOk(200, { path: '/v1/me/quotas', token });
    assert.equal(quotas.wallets.used, 1);
});
