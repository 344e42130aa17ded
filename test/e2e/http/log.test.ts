import assert from 'node:assert/strict';
import { it } from 'node:test';
import { send } from '../support/client.ts';
import { linesOf } from '../support/logs.ts';
import { issueBody, newAccount, newDid, newKey } from '../support/world.ts';

it('a request has one line in the log, without its secrets and its content', async () => {
    const account = await newAccount();
    const { api_key: token } = await newKey(account);
    const issuer = await newDid(token);
    const markers = [token, account.token, issuer.private_key, 'marked\r\nreason', 'marked\r\nclaim', 'marked query'];
    const [, , , reason, claim, query] = markers;
    const body = issueBody(issuer, 'did:web:subject.example', { claims: { claim } });
    const issued = await send({ method: 'POST', path: '/v1/credentials', token, body });
    const { credential_id, credential } = issued.data;
    const answers = [
        issued,
        await send({
            method: 'POST',
            path: `/v1/credentials/revoke/${credential_id}`,
            token,
            body: { issuer_did: issuer.did, reason },
        }),
        await send({
            method: 'POST',
            path: '/v1/credentials/verify',
            token: account.token,
            body: { credential, issuer_did: issuer.did },
        }),
        await send({ path: `/v1/did/x?password=${encodeURIComponent(query ?? '')}`, token }),
        await send({ path: '/v1/did/x', token: `${token.slice(0, -1)}!` }),
        await send({ method: 'POST', path: '/v1/did', token, body: `{"marked":"${claim}` }),
    ];
    const ids = answers.map(({ headers }) => headers.get('x-request-id') as string);
    const lines = await linesOf(ids);
    const events = lines.map((line) => JSON.parse(line));
    for (const [index, id] of ids.entries()) {
        const own = events.filter(({ request_id }) => request_id === id);
        assert.equal(own.length, 1);
        assert.equal(own[0].status, answers[index]?.status);
    }
    const text = lines.join('\n');
    for (const mark of [...markers, credential, 'marked', token.slice(0, -1)]) {
        assert.ok(!text.includes(JSON.stringify(mark).slice(1, -1)), `the log contains ${mark}`);
    }
});

it('the line names the account, the key or session, and the target of the call', async () => {
    const account = await newAccount();
    const key = await newKey(account);
    const { sid } = JSON.parse(Buffer.from(account.token.split('.')[1] ?? '', 'base64url').toString());
    const calls = [
        { token: key.api_key, method: 'POST', path: '/v1/did' },
        { token: account.token, method: 'DELETE', path: `/v1/keys/${key.key_id}` },
        { token: account.token, method: 'DELETE', path: `/v1/keys/${key.api_key}` },
    ];
    const lines: unknown[] = [];
    const dids: string[] = [];
    for (const call of calls) {
        const answer = await send(call);
        const [line = ''] = await linesOf([answer.headers.get('x-request-id') as string]);
        if (answer.data?.did) dids.push(answer.data.did);
        const { route, status, user_id, key_id, session_id, target } = JSON.parse(line);
        lines.push({ route, status, user_id, key_id, session_id, target });
    }
    const { user_id } = account;
    assert.deepEqual(lines, [
        { route: 'did.create', status: 201, user_id, key_id: key.key_id, session_id: undefined, target: dids[0] },
        { route: 'keys.revoke', status: 200, user_id, key_id: undefined, session_id: sid, target: key.key_id },
        { route: 'keys.revoke', status: 404, user_id, key_id: undefined, session_id: sid, target: undefined },
    ]);
});
