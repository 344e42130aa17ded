import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { expectError, expectOk, send } from '../support/client.ts';
import { aKey, newDid } from '../support/world.ts';
import { ids, listCalls, nextOf, walk } from './lists.fixture.ts';

const token = await aKey();
const known = await newDid(token);
const otherCaller = await aKey();
const { listCall, issueSome } = listCalls(token);

describe('paging', () => {
    it('returns each row once and in order through the links, for any page size', async () => {
        const issuer = await newDid(token);
        const all = await issueSome(7, issuer);
        for (const limit of [1, 2, 3, 6, 7, 8, 1_000]) {
            assert.deepEqual(await walk(listCall('issuer', issuer.did, {}, `?limit=${limit}`), 7), all);
        }
        const whole = await send(listCall('issuer', issuer.did));
        assert.equal(whole.headers.get('link'), null);
        const page = await send(listCall('issuer', issuer.did, {}, '?limit=3'));
        assert.deepEqual(Object.keys(page.data), ['credentials', 'total']);
        assert.deepEqual(page.data.credentials, whole.data.credentials.slice(0, 3));
    });

    it('is not affected by credentials issued meanwhile', async () => {
        const issuer = await newDid(token);
        const all = await issueSome(4, issuer);
        const first = await send(listCall('issuer', issuer.did, {}, '?limit=2'));
        await issueSome(3, issuer);
        const second = await send({ path: nextOf(first) ?? '', token });
        assert.deepEqual(ids(second.data.credentials), all.slice(2));
        assert.equal(second.data.total, 7);
    });

    it('accepts a cursor without a limit, on every gateway, and only from the account that received it', async () => {
        const issuer = await newDid(token);
        const all = await issueSome(3, issuer);
        const next = nextOf(await send(listCall('issuer', issuer.did, {}, '?limit=1'))) ?? '';
        const cursor = new URLSearchParams(next.split('?')[1]).get('cursor');
        const query = `?cursor=${cursor}`;
        const rest = await expectOk(200, listCall('issuer', issuer.did, { gateway: 1 }, query));
        assert.deepEqual(ids(rest.credentials), all.slice(1));
        await expectError(400, listCall('issuer', issuer.did, { token: otherCaller }, query));
        await expectError(400, listCall('subject', issuer.did, {}, query));
        await expectError(400, listCall('issuer', known.did, {}, query));
    });

    for (const query of [
        'limit=0',
        'limit=-1',
        'limit=1001',
        'limit=99999999999999999999',
        'limit=1.5',
        'limit=1e2',
        'limit=0x10',
        'limit=abc',
        'limit=',
        'limit',
        'limit=%201',
        'limit=٣',
        'limit=1&limit=2',
        'limit[]=1',
        'cursor=',
        'cursor=x',
        'cursor=!!!!',
        `cursor=${'A'.repeat(21)}`,
        `cursor=${'A'.repeat(22)}`,
        `cursor=${'A'.repeat(60)}`,
        `cursor=${'A'.repeat(10_000)}`,
        "cursor=' OR 1=1 --",
        'cursor=%00',
        'cursor=a&cursor=b',
        'limit=5&cursor=x',
    ]) {
        const fit = query === 'limit[]=1'; // a parameter of another name is ignored
        it(`${fit ? 'ignores' : 'refuses'} ?${query.slice(0, 60)}`, async () => {
            for (const party of ['issuer', 'subject'] as const) {
                const answer = await send(listCall(party, known.did, {}, `?${query}`));
                assert.equal(answer.status, fit ? 200 : 400, answer.text);
            }
        });
    }
});
