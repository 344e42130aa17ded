import assert from 'node:assert/strict';
import type { IssueItem } from '../../../proto/gen/credentials/v1/credentials.ts';
import { newParty, type Party, startServices } from './credentials.fixture.ts';

/** The services, and the two accounts that the tests of batches use. */
export async function startBatches() {
    const services = await startServices();
    const { did, credentials } = services;
    const [issuer, other] = [await newParty(did), await newParty(did)];
    const good = { subject_did: other.did, credential_type: 'T', claims: '{"n": 1.0}', expiration_date: undefined };

    const issueMany = (items: IssueItem[], by = issuer) =>
        credentials.issueMany({ ...keyOf(by), items, refused_places: [] }, by.context);

    /** Issues this many credentials in a batch, and returns their ids. */
    async function issued(count: number, by = issuer): Promise<string[]> {
        const { results } = await issueMany(Array<IssueItem>(count).fill(good), by);
        return results.map(({ value }) => value?.credential_id ?? assert.fail('not issued'));
    }

    const bad = [
        { ...good, subject_did: 'nobody' },
        { ...good, credential_type: ' ' },
        { ...good, credential_type: 'x'.repeat(256) },
        { ...good, claims: '[]' },
        { ...good, claims: '{"a":1,"a":2}' },
        { ...good, claims: `{"a":"${'x'.repeat(64 << 10)}"}` },
        { ...good, expiration_date: 'tomorrow' },
    ];
    return { ...services, issuer, other, good, bad, issueMany, issued };
}

export const keyOf = ({ did: issuerDid, private_key: issuerPrivateKey }: Party) => ({
    issuer_did: issuerDid,
    issuer_private_key: issuerPrivateKey,
});
