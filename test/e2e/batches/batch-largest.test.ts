import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Call, expectOk, send } from '../support/client.ts';
import { batching, ITEM } from './batch.fixture.ts';

const ITEMS = 1_000;
const MAX_BODY_BYTES = 1 << 20;
/** The least power of two that is not less than the share of an item. */
const MAX_ITEM_BYTES = 1 << 11;

const { token, keyPair, issuer, batch, issue } = await batching();
const times = <Item>(item: Item): Item[] => Array(ITEMS).fill(item);

/** Returns the body of the greatest size that fits into a request, and asserts that it nearly fills one. */
function largest<Body>(bodyOf: (size: number) => Body): Body {
    const lengthOf = (size: number) => Buffer.byteLength(JSON.stringify(bodyOf(size)));
    let size = 0;
    for (let step = MAX_ITEM_BYTES; step >= 1; step /= 2) if (lengthOf(size + step) <= MAX_BODY_BYTES) size += step;
    assert.ok(lengthOf(size) > 0.95 * MAX_BODY_BYTES);
    return bodyOf(size);
}

/** Makes the call, and single calls while it is in progress. All of them must be answered. Returns its data. */
async function besideSingleCalls(call: Call) {
    let isAnswered = false;
    const answered = expectOk(200, call).finally(() => {
        isAnswered = true;
    });
    do assert.equal((await send({ path: `/v1/did/${issuer.did}`, token })).status, 200);
    while (!isAnswered);
    return answered;
}

const SHAPES: Record<string, (size: number) => object> = {
    'one long text': (size) => ({ text: 'x'.repeat(size) }),
    'text of which every character is escaped': (size) => ({ text: '\u0001'.repeat(size) }),
    'as many members as the body may have': (size) =>
        Object.fromEntries(Array.from({ length: 14 }, (_, index) => [`m${index}`, 'x'.repeat(size >> 4)])),
    'as many values as the body may have': (size) => ({ list: Array(32).fill({}), text: 'x'.repeat(size) }),
};

describe('a batch of 1,000 items and 1 MiB', () => {
    for (const [shape, claimsOf] of Object.entries(SHAPES)) {
        it(`is issued beside single calls: ${shape}`, async () => {
            const body = largest((size) => ({ ...keyPair, items: times({ ...ITEM, claims: claimsOf(size) }) }));
            const { total_succeeded } = await besideSingleCalls(batch('issue', body));
            assert.equal(total_succeeded, ITEMS);
        });
    }

    it('is verified beside single calls', async () => {
        const { results } = await issue(times({ ...ITEM, claims: { text: 'x'.repeat(345) } }));
        const tokens: string[] = results.map(({ credential }: { credential: string }) => credential);
        const body = { items: tokens.map((credential) => ({ credential, issuer_did: issuer.did })) };
        const length = Buffer.byteLength(JSON.stringify(body));
        assert.ok(length <= MAX_BODY_BYTES && length > 0.9 * MAX_BODY_BYTES, `${length} bytes`);
        const checked = await besideSingleCalls(batch('verify', { ...body, check_revocation: true }));
        assert.ok(checked.results.every(({ valid }: { valid: boolean }) => valid));
    });

    it('is revoked beside single calls', async () => {
        const { results } = await issue(times(ITEM));
        const body = largest((size) => ({
            issuer_did: issuer.did,
            items: results.map(({ credential_id }: { credential_id: string }) => ({
                credential_id,
                reason: 'x'.repeat(size),
            })),
        }));
        const { total_succeeded } = await besideSingleCalls(batch('revoke', body));
        assert.equal(total_succeeded, ITEMS);
    });

    it('of ids that no credential can have is answered beside single calls', async () => {
        const body = largest((size) => ({ credential_ids: times(`urn:uuid:${'x'.repeat(size)}`) }));
        const { total_failed } = await besideSingleCalls(batch('status', body));
        assert.equal(total_failed, ITEMS);
    });
});
