import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { AppError } from '../../../platform/errors.ts';
import { newId } from '../../../platform/ids.ts';
import type { IssueItem, VerifyRequest } from '../../../proto/gen/credentials/v1/credentials.ts';
import { testContext } from '../../support/harness.ts';
import { shown } from './credentials.fixture.ts';
import { keyOf, startBatches } from './credentials-batches.fixture.ts';

const { credentials, issuer, other, good, bad, issueMany, issued } = await startBatches();

/** The outcome of a single call in the form of the result of an item. */
async function asResult<Value>(call: Promise<Value>) {
    try {
        return { value: shown(await call) };
    } catch (error) {
        assert.ok(error instanceof AppError);
        return { failure: { code: error.kind, error: error.detail } };
    }
}

/** A result without the fields that differ from call to call. */
function comparable<Value extends object | undefined>(result: { value?: Value; failure?: unknown }) {
    const { value, failure } = shown(result);
    if (value === undefined) return { failure };
    return { value: { ...value, credential_id: '', credential: '', issued_at: '', revoked_at: '' } };
}

describe('a batch has the same outcomes as single calls', () => {
    it('to issue', async () => {
        const item = fc.oneof(
            fc.constantFrom(...bad),
            fc.record({
                subject_did: fc.constantFrom(issuer.did, other.did, 'did:web:x.example'),
                credential_type: fc.string({ minLength: 1, maxLength: 300, unit: 'binary' }),
                claims: fc.object().map((claims) => JSON.stringify(claims)),
                expiration_date: fc.option(fc.constantFrom('2030-01-01', '2020-01-01T00:00+02:00', '2030'), {
                    nil: undefined,
                }),
            }),
        );
        await fc.assert(
            fc.asyncProperty(fc.array(item, { minLength: 1, maxLength: 20 }), async (items) => {
                const { results } = await issueMany(items);
                const single = (each: IssueItem) =>
                    asResult(credentials.issue({ ...keyOf(issuer), ...each }, issuer.context));
                assert.deepEqual(results.map(comparable), (await Promise.all(items.map(single))).map(comparable));
                for (const [index, { value }] of results.entries()) {
                    if (!value) continue;
                    const request = { credential: value.credential, issuer_did: issuer.did, check_revocation: true };
                    const checked = await credentials.verify(request, testContext());
                    assert.equal(checked.subject, items[index]?.subject_did);
                    if (checked.valid) assert.equal(checked.claims, items[index]?.claims);
                    else assert.equal(checked.expired, true);
                }
            }),
            { numRuns: 40 },
        );
    });

    it('to verify', async () => {
        const tokens = (await issueMany([good, { ...good, expiration_date: '2020-01-01' }, good])).results.map(
            ({ value }) => value ?? assert.fail('not issued'),
        );
        const [valid, expired, revoked] = tokens.map(({ credential }) => credential) as [string, string, string];
        const { credential_id = '' } = tokens[2] ?? {};
        await credentials.revoke({ credential_id, issuer_did: issuer.did, reason: undefined }, issuer.context);
        const item = fc.record({
            credential: fc.constantFrom(valid, expired, revoked, `${valid.slice(0, -4)}AAAA`, 'no token', ''),
            issuer_did: fc.constantFrom(issuer.did, other.did, 'did:web:x.example', ''),
            check_revocation: fc.boolean(),
        });
        await fc.assert(
            fc.asyncProperty(fc.array(item, { minLength: 1, maxLength: 30 }), async (items) => {
                const request = { credentials: [], check_revocation: false, items };
                const { item_results } = await credentials.verifyMany(request, testContext());
                const single = (each: VerifyRequest) => asResult(credentials.verify(each, testContext()));
                assert.deepEqual(shown(item_results), await Promise.all(items.map(single)));
            }),
            { numRuns: 60 },
        );
    });

    it('to revoke and to ask for the status', async () => {
        const reason = fc.option(fc.constantFrom('left', 'x'.repeat(2_001)), { nil: undefined });
        const kind = fc.constantFrom('fresh', 'revoked', 'foreign', 'unknown', 'malformed');
        await fc.assert(
            fc.asyncProperty(fc.array(fc.record({ kind, reason }), { minLength: 1, maxLength: 12 }), async (wanted) => {
                const make = async () => {
                    const [fresh, revoked] = [await issued(wanted.length), await issued(1)];
                    const [foreign] = await issued(1, other);
                    const first = { credential_id: revoked[0] ?? '', issuer_did: issuer.did, reason: 'first' };
                    await credentials.revoke(first, issuer.context);
                    const ids = { revoked: revoked[0], foreign, malformed: 'x', unknown: `urn:uuid:${newId()}` };
                    return wanted.map((each, index) => ({
                        credential_id: (each.kind === 'fresh' ? fresh[index] : ids[each.kind as 'foreign']) ?? '',
                        reason: each.reason,
                    }));
                };
                const [batch, singles] = [await make(), await make()];
                const together = await credentials.revokeMany(
                    { issuer_did: issuer.did, reason: undefined, items: batch },
                    issuer.context,
                );
                const single = (item: { credential_id: string; reason: string | undefined }) =>
                    asResult(credentials.revoke({ ...item, issuer_did: issuer.did }, issuer.context));
                const alone = await Promise.all(singles.map(single));
                assert.deepEqual(together.results.map(comparable), alone.map(comparable));
                const ids = batch.map(({ credential_id }) => credential_id);
                const { results } = await credentials.getStatusMany({ credential_ids: ids }, testContext());
                const status = (credentialId: string) =>
                    asResult(credentials.getStatus({ credential_id: credentialId }, testContext()));
                assert.deepEqual(shown(results), await Promise.all(ids.map(status)));
            }),
            { numRuns: 15 },
        );
    });
});
