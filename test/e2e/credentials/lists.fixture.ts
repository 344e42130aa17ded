import assert from 'node:assert/strict';
import { type Answer, type Call, expectOk, send } from '../support/client.ts';
import { type Did, issueBody } from '../support/world.ts';

interface Row {
    credential_id: string;
    revoked: boolean;
    [field: string]: unknown;
}

export type Party = 'issuer' | 'subject';

/** Returns functions that list and issue credentials with `token`. */
export function listCalls(token: string) {
    function listCall(party: Party, did: string, more: Partial<Call> = {}, query = ''): Call {
        return { path: `/v1/credentials/by-${party}/${encodeURIComponent(did)}${query}`, token, ...more };
    }
    return {
        listCall,

        list: async (party: Party, did: string, by = token): Promise<{ credentials: Row[]; total: number }> =>
            expectOk(200, listCall(party, did, { token: by })),

        /** Issues `count` credentials one after the other. Returns their ids, newest first. */
        async issueSome(count: number, issuer: Did, subject = 'did:web:subject.example'): Promise<string[]> {
            const made: string[] = [];
            for (let index = 0; index < count; index++) {
                const body = issueBody(issuer, subject, { credential_type: `T${index}` });
                const call = { method: 'POST', path: '/v1/credentials', token, body };
                made.unshift((await expectOk(201, call)).credential_id);
            }
            return made;
        },
    };
}

export const ids = (rows: readonly Row[]) => rows.map(({ credential_id }) => credential_id);

/** Returns the path and query in the answer's Link header, or undefined if there is none. */
export function nextOf(answer: Answer): string | undefined {
    const link = answer.headers.get('link');
    return link === null ? undefined : /^<(\/[^>]+)>; rel="next"$/.exec(link)?.[1];
}

/** Reads all pages from `first` on, checks the size and total of each, and returns the ids. */
export async function walk(first: Call, total: number): Promise<string[]> {
    const limit = Number(/limit=(\d+)/.exec(first.path)?.[1]);
    const seen: string[] = [];
    for (let path: string | undefined = first.path; path !== undefined; ) {
        const answer: Answer = await send({ ...first, path });
        assert.equal(answer.status, 200, answer.text);
        assert.ok(answer.data.credentials.length <= limit);
        assert.equal(answer.data.total, total);
        seen.push(...ids(answer.data.credentials));
        path = nextOf(answer);
    }
    return seen;
}
