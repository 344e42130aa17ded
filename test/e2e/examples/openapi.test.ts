import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mediaOf, type ResponseObject } from '../../../gateway/openapi/document.ts';
import { document, endpoints, faults, operations, resolve } from '../../support/openapi.ts';
import { type Answer, type Call, GATEWAYS, ONE_CLIENTS, send } from '../support/client.ts';
import { exampleCall } from '../support/examples.ts';

/** Header fields of the next page, and of the answer to a repeated call. */
const SOMETIMES = ['Link', 'Idempotent-Replayed'];

async function checkAnswer(id: string, call: Call): Promise<Answer> {
    const answer = await send(call);
    const { operation } = operations.find((listed) => listed.operation.operationId === id) ?? {};
    const documented = operation?.responses[answer.status];
    assert.ok(documented, `${id} answers ${answer.status}, which is not documented`);
    const response = ('content' in documented ? documented : resolve(documented.$ref ?? '')) as ResponseObject;
    const hasLines = (operation?.['x-lines'] ?? operation?.['x-streams']) !== undefined && answer.status < 300;
    const bodies = hasLines
        ? answer.text
              .trimEnd()
              .split('\n')
              .map((line) => JSON.parse(line))
        : [answer.body];
    for (const body of bodies) assert.deepEqual(faults(mediaOf(response).schema, body), [], answer.text);
    const absent = Object.keys(response.headers).filter(
        (name) => !SOMETIMES.includes(name) && !answer.headers.has(name),
    );
    assert.deepEqual(absent, [], id);
    for (const [name, { $ref }] of Object.entries(response.headers)) {
        const { schema } = resolve($ref) as { schema: { type: string } };
        const sent = answer.headers.get(name);
        if (sent === null) continue;
        assert.deepEqual(
            faults(schema, schema.type === 'integer' ? Number(sent) : sent),
            [],
            `${id}: ${name}: ${sent}`,
        );
    }
    return answer;
}

describe('the OpenAPI document', () => {
    it('is served unchanged to any caller, and may be cached', async () => {
        const response = await fetch(`${GATEWAYS[0]}/openapi.json`);
        const served = (await response.json()) as typeof document;
        assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8');
        assert.equal(response.headers.get('cache-control'), 'public, max-age=300');
        for (const name of ONE_CLIENTS) assert.equal(response.headers.get(name), null, name);
        assert.deepEqual({ ...served, info: { ...served.info, version: '1.2.3' } }, document);
    });

    it('and the reference page answer HEAD without a body and refuse other methods', async () => {
        for (const path of ['/openapi.json', '/docs']) {
            const head = await fetch(`${GATEWAYS[0]}${path}`, { method: 'HEAD' });
            assert.equal(head.status, 200);
            assert.ok(Number(head.headers.get('content-length')) > 10_000);
            const refused = await send({ method: 'POST', path, body: {} });
            assert.equal(refused.status, 405);
            assert.equal(refused.headers.get('allow'), 'GET, HEAD');
        }
    });

    for (const { id, access, lines } of endpoints) {
        it(`describes how ${id} answers a missing credential, an invalid body and its example`, async () => {
            const call = await exampleCall(id); // a refusal changes nothing, so all of these can use it
            const { body } = call;
            const bare = { ...call, token: undefined, internal: false };
            const isOpen = access === 'public' || access === 'anonymous';
            for (const other of isOpen ? [] : new Set([body, undefined, body && '{not json']))
                assert.equal((await checkAnswer(id, { ...bare, body: other })).status, 401);
            if (body !== undefined) {
                const malformed = await checkAnswer(id, { ...call, body: lines ? '' : '[1]' });
                assert.equal(malformed.status, 400);
            }
            const answer = await checkAnswer(id, call);
            assert.ok(answer.status < 300, answer.text);
            if (isOpen) await checkAnswer(id, bare);
        });
    }
});
