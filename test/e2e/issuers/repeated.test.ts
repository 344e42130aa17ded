import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { it } from 'node:test';
import { type Call, expectError, expectOk, send } from '../support/client.ts';
import { AUDIENCE } from '../support/presenting.ts';
import { payloadOf } from '../support/world.ts';
import { issuerCalls, managing, SUBJECT } from './issuers.fixture.ts';

const ITEM = { subject_did: SUBJECT, credential_type: 'EmploymentCredential', claims: {} };

const keyed = (call: Call): Call => ({ ...call, headers: { 'idempotency-key': randomUUID() } });

/** Repeats a call on the other gateway, and asserts that it has the bytes of the first answer. */
async function replays(call: Call, first: { status: number; text: string }): Promise<void> {
    const again = await send({ ...call, gateway: 1 });
    assert.deepEqual([again.status, again.text], [first.status, first.text]);
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
}

it('a repeated creation creates one issuer, whatever happened to it since', async () => {
    const { calls, token } = await managing();
    for (const method of ['key', 'web']) {
        const create = keyed(calls.create({ name: 'Repeated', method }));
        const first = await send(create);
        assert.equal(first.status, 201);
        await replays(create, first);
        await expectOk(200, calls.archive(first.data.issuer_id));
        await replays(create, first);
    }
    assert.equal((await expectOk(200, issuerCalls(token).list())).total, 3);
});

it('a repeated rotation rotates once, and answers at once', async () => {
    const { calls, issuer } = await managing();
    const rotate = keyed(calls.rotate(issuer.issuer_id));
    const first = await send(rotate);
    assert.equal(first.status, 201);
    await replays(rotate, first);
    await expectOk(201, calls.rotate(issuer.issuer_id));
    await replays(rotate, first);
    assert.equal((await expectOk(200, calls.get(issuer.issuer_id))).keys.length, 3);
});

it('equal calls at once create one issuer, and make one rotation', async () => {
    const { calls, issuer } = await managing();
    const create = keyed(calls.create({ name: 'At once', method: 'web' }));
    const made = await Promise.all(
        Array.from({ length: 6 }, (_, turn) => expectOk(201, { ...create, gateway: turn % 2 })),
    );
    assert.equal(new Set(made.map(({ did }) => did)).size, 1);
    const rotate = keyed(calls.rotate(issuer.issuer_id));
    const rotated = await Promise.all(
        Array.from({ length: 6 }, (_, turn) => expectOk(201, { ...rotate, gateway: turn % 2 })),
    );
    assert.equal(new Set(rotated.map(({ kid }) => kid)).size, 1);
    assert.equal((await expectOk(200, calls.get(issuer.issuer_id))).keys.length, 2);
});

it('a repeated call has the same bytes after a rotation, although another key signs now', async () => {
    const { token, calls, issuer, issued } = await managing();
    const { credential } = await issued();
    const post = (path: string, body: unknown): Call => keyed({ method: 'POST', path, token, body });
    const repeatable = [
        keyed(calls.issue(issuer.did)),
        post('/v1/credentials/batch/issue', { issuer_did: issuer.did, items: [ITEM, ITEM] }),
        post('/v1/presentations', { holder_did: issuer.did, credentials: [credential], audience: AUDIENCE }),
    ];
    const answers = [];
    for (const call of repeatable) {
        const first = await send(call);
        assert.ok(first.status < 300, first.text);
        await replays(call, first);
        answers.push(first);
    }
    const { kid } = await expectOk(201, calls.rotate(issuer.issuer_id));
    for (const [index, call] of repeatable.entries())
        await replays(call, answers[index] as { status: number; text: string });
    assert.equal(payloadOf((await issued()).credential)['kid'], kid);
});

it('a batch that is continued after a rotation has the old items as they were, and new ones by the new key', async () => {
    const { token, calls, issuer } = await managing();
    const batch = (items: unknown[]): Call => ({
        method: 'POST',
        path: '/v1/credentials/batch/issue',
        token,
        body: { issuer_did: issuer.did, items },
        headers: { 'idempotency-key': 'continued-after-a-rotation' },
    });
    const first = await expectOk(200, batch([ITEM, ITEM]));
    const { kid } = await expectOk(201, calls.rotate(issuer.issuer_id));
    const { results } = await expectOk(200, batch([ITEM, ITEM, ITEM]));
    assert.deepEqual(results.slice(0, 2), first.results);
    assert.deepEqual(
        results.map(({ credential }: { credential: string }) => payloadOf(credential)['kid']),
        [issuer.kid, issuer.kid, kid],
    );
});

it('a call is not repeated with a compromised key: it is 409, also after the rotation', async () => {
    const { calls, issuer } = await managing();
    const issue = keyed(calls.issue(issuer.did));
    const { credential_id } = await expectOk(201, issue);
    await expectOk(200, calls.compromise(issuer.issuer_id, issuer.kid));
    await expectError(409, issue);
    await expectOk(201, calls.rotate(issuer.issuer_id));
    const { body } = await expectError(409, issue);
    assert.equal(body.error, 'The key that has signed this is compromised, so it signs nothing again.');
    const { revoked } = await expectOk(200, { path: `/v1/credentials/status/${credential_id}`, token: issue.token });
    assert.equal(revoked, false);
});

it('a call is not repeated for an archived issuer: it is 409', async () => {
    const { calls, issuer } = await managing('key');
    const issue = keyed(calls.issue(issuer.did));
    await expectOk(201, issue);
    await expectOk(200, calls.archive(issuer.issuer_id));
    assert.equal((await expectError(409, issue)).body.error, 'This issuer is archived, so it signs no more.');
});
