import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { keptDocuments } from '../../../gateway/kept-documents.ts';
import type { Services } from '../../../gateway/services.ts';
import { statusLists } from '../../../gateway/status-lists.ts';
import { AppError } from '../../../platform/errors.ts';
import { newId } from '../../../platform/ids.ts';
import { CredentialsServiceDefinition } from '../../../proto/gen/credentials/v1/credentials.ts';
import { testContext } from '../../support/context.ts';
import { stubService } from '../../support/stub-service.ts';

/** A credentials service with these lists: their texts by id. It counts the calls. */
function start() {
    const texts = new Map<string, string>();
    const broken = new Set<string>();
    const calls = { list: 0, get: 0 };
    const outage: { error?: AppError } = {};
    const credentials = stubService(CredentialsServiceDefinition, {
        async listStatusLists() {
            calls.list++;
            await delay(1);
            if (outage.error) throw outage.error;
            const lists = Array.from(texts, ([listId, text]) => ({
                list_id: listId,
                uri: `u:${listId}`,
                version: text,
            }));
            return { lists };
        },
        async getStatusList({ list_id }) {
            calls.get++;
            await delay(1);
            if (broken.has(list_id)) throw new Error('it cannot be read');
            const token = texts.get(list_id) ?? assert.fail('an unknown list is asked for');
            return { token, version: token };
        },
    });
    const services = { credentials } as Partial<Services> as Services; // nothing else is called
    const served = statusLists(keptDocuments());
    const get = async (id: string) => (await served.get(id, services, testContext())).bodies.identity.toString();
    const begin = (text: string) => {
        const id = newId();
        texts.set(id, text);
        return id;
    };
    return { texts, broken, outage, calls, get, begin, list: async () => served.list(services, testContext()) };
}

const isNotFound = (error: unknown) => error instanceof AppError && error.kind === 'not_found';

describe('status lists are served from memory', () => {
    it('and many requests at once cost one question and one reading', async () => {
        const { calls, get, begin } = start();
        const id = begin('first');
        const answers = await Promise.all(Array.from({ length: 500 }, () => get(id)));
        assert.deepEqual(new Set(answers), new Set(['first']));
        await get(id);
        assert.deepEqual(calls, { list: 1, get: 1 });
    });

    it('and a changed list is read again a second later, once', async () => {
        const { texts, calls, get, begin } = start();
        const [id, other] = [begin('first'), begin('other')];
        await Promise.all([get(id), get(other)]);
        texts.set(id, 'second');
        await delay(1_100);
        assert.deepEqual(await Promise.all([get(id), get(id), get(other)]), ['second', 'second', 'other']);
        assert.deepEqual(calls, { list: 2, get: 3 });
    });

    it('and a list that has just begun is found at once', async () => {
        const { get, begin } = start();
        await get(begin('first'));
        assert.equal(await get(begin('new')), 'new');
    });

    it('and requests for unknown lists cost at most ten questions a second together', async () => {
        const { calls, get } = start();
        const began = performance.now();
        const ask = async () => {
            for (let request = 0; request < 8; request++) await assert.rejects(get(newId()), isNotFound);
        };
        await Promise.all(Array.from({ length: 50 }, ask));
        const most = 3 + (performance.now() - began) / 100;
        assert.ok(calls.list <= most, `${calls.list} questions`);
        assert.equal(calls.get, 0);
    });

    it('and a malformed id costs no question', async () => {
        const { calls, get } = start();
        for (const id of ['', 'no id', '../keys', newId().toUpperCase()]) await assert.rejects(get(id), isNotFound);
        assert.equal(calls.list, 0);
    });

    it('and a list that could not be read is read again by the next request', async () => {
        const { broken, get, begin } = start();
        const id = begin('first');
        broken.add(id);
        await assert.rejects(get(id), /cannot be read/);
        broken.delete(id);
        assert.equal(await get(id), 'first');
    });

    it('and lists that are kept stay readable for a minute while the credentials service is away', async (t) => {
        const { outage, get, begin, list } = start();
        const id = begin('first');
        await get(id);
        outage.error = new AppError('unavailable', 'away', { reason: 'service credentials' });
        const isAway = (error: unknown) => error === outage.error;
        const began = performance.now();
        let ahead = 2_000;
        t.mock.method(performance, 'now', () => began + ahead);
        assert.equal(await get(id), 'first');
        assert.ok(await list());
        await assert.rejects(get(newId()), isAway); // nobody knows whether it exists
        ahead = 61_000;
        await assert.rejects(get(id), isAway);
        delete outage.error;
        assert.equal(await get(id), 'first');
    });

    it('and an error that is no outage is not hidden', async () => {
        const { outage, get, begin } = start();
        const id = begin('first');
        await get(id);
        outage.error = new AppError('internal', 'broken');
        await delay(1_100);
        await assert.rejects(get(id), /broken/);
    });

    it('and the addresses of all lists are written once, however often they are read', async () => {
        const { begin, list } = start();
        begin('one');
        assert.equal(await list(), await list());
    });

    it('and so are the addresses of all lists', async () => {
        const { begin, list } = start();
        const ids = [begin('one'), begin('two')];
        const { bodies } = await list();
        assert.deepEqual(JSON.parse(bodies.identity.toString()), { status_lists: ids.map((id) => `u:${id}`) });
    });
});
