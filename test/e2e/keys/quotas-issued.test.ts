import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { status } from '@grpc/grpc-js';
import { loadConfig } from '../../../platform/process/config.ts';
import { until } from '../../support/until.ts';
import { expectOk, send } from '../support/client.ts';
import { database } from '../support/database.ts';
import { call, closeClients } from '../support/grpc.ts';
import { issue, issueBody, newAccount, newDid, presentationBody } from '../support/world.ts';

after(closeClients);
const [credentials, presentations] = [await database('credentials'), await database('presentations')];
const { QUOTA_CREDENTIALS, QUOTA_PRESENTATIONS } = loadConfig({});

/** An account that has an issuer and as many credentials and presentations, as it seems, as the tier free allows. */
async function aFullAccount() {
    const { token, user_id } = await newAccount();
    await credentials.query(
        `INSERT INTO credentials.totals (account, kind, month, amount)
        VALUES ($1, 'credentials_issued', '2026-01-01', $2)`,
        [user_id, QUOTA_CREDENTIALS.free],
    );
    await presentations.query(
        `INSERT INTO presentations.totals (account, kind, month, amount)
        VALUES ($1, 'presentations_created', '2026-01-01', $2)`,
        [user_id, QUOTA_PRESENTATIONS.free],
    );
    const issuer = await newDid(token);
    return { token, user_id, issuer, key: { issuer_did: issuer.did, issuer_private_key: issuer.private_key } };
}

const item = { subject_did: 'did:web:subject.example', credential_type: 'T', claims: { n: 1 } };
const REFUSAL = `The account has reached its quota of ${QUOTA_CREDENTIALS.free} credentials.`;

describe('an account that has reached its quota', () => {
    it('is refused over HTTP with 403, item by item in a batch', async () => {
        const { token, issuer, key } = await aFullAccount();
        const body = issueBody(issuer, item.subject_did);
        const post = (path: string, sent: object) => ({ method: 'POST', path, token, body: sent });
        for (const gateway of [0, 1]) {
            await until('the account is refused', async () => {
                const answer = await send({ ...post('/v1/credentials', body), gateway });
                if (answer.status === 201) return false;
                assert.deepEqual([answer.status, answer.body.error], [403, REFUSAL]);
                return true;
            });
            const batch = { ...key, items: [item, { ...item, subject_did: 'nobody' }] };
            // Another process may answer, which has not counted yet.
            await until('an item of a batch is refused', async () => {
                const answer = await expectOk(200, { ...post('/v1/credentials/batch/issue', batch), gateway });
                const [first, second] = answer.results;
                assert.equal(second.code, 'invalid');
                if (first.code === undefined) return false;
                assert.deepEqual([first.code, first.error], ['forbidden', REFUSAL]);
                return true;
            });
        }
        const other = await newAccount();
        const { credential } = await issue(other.token, await newDid(other.token));
        await until('the presentation is refused', async () => {
            const answer = await send(post('/v1/presentations', presentationBody(issuer, [credential])));
            if (answer.status === 201) return false;
            assert.deepEqual(
                [answer.status, answer.body.error],
                [403, `The account has reached its quota of ${QUOTA_PRESENTATIONS.free} presentations.`],
            );
            return true;
        });
    });

    it('is refused over gRPC with PERMISSION_DENIED, item by item in a batch', async () => {
        const { user_id, issuer } = await aFullAccount();
        const key = { issuer_did: issuer.did, issuer_private_key: Buffer.from(issuer.private_key, 'base64') };
        const issued = { ...item, claims: '{}' };
        const send = (method: string, request: object) =>
            call(`credentials.v1.CredentialsService/${method}`, { ...key, ...request }, { user_id });
        await until('the account is refused', async () => {
            const { code, details } = await send('Issue', issued);
            if (code === status.OK) return false;
            assert.deepEqual([code, details], [status.PERMISSION_DENIED, REFUSAL]);
            return true;
        });
        await until('an item of a batch is refused', async () => {
            const { code, response } = await send('IssueMany', { items: [issued] });
            assert.equal(code, status.OK);
            const [{ failure }] = response.results;
            if (!failure) return false;
            assert.deepEqual(failure, { code: 'forbidden', error: REFUSAL });
            return true;
        });
    });
});
