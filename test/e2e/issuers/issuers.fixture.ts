import { type Call, expectOk, send } from '../support/client.ts';
import { aKey, issue, issueBody, verify } from '../support/world.ts';

export const SUBJECT = 'did:web:subject.example';

export interface Issuer {
    issuer_id: string;
    did: string;
    kid: string;
    public_key: string;
}

/** Returns the calls to the issuers of an account. */
export function issuerCalls(token: string) {
    const change = (path: string, more: Partial<Call> = {}): Call => ({
        method: 'POST',
        path: `/v1/issuers/${path}`,
        token,
        body: {},
        ...more,
    });
    return {
        create: (body: unknown, more: Partial<Call> = {}): Call => ({
            method: 'POST',
            path: '/v1/issuers',
            token,
            body,
            ...more,
        }),
        list: (query = '', more: Partial<Call> = {}): Call => ({ path: `/v1/issuers${query}`, token, ...more }),
        get: (id: string, more: Partial<Call> = {}): Call => ({ path: `/v1/issuers/${id}`, token, ...more }),
        rotate: (id: string, more?: Partial<Call>): Call => change(`${id}/rotate`, more),
        compromise: (id: string, kid: string, more?: Partial<Call>): Call =>
            change(`${id}/keys/${kid}/compromised`, more),
        archive: (id: string, more: Partial<Call> = {}): Call => ({
            method: 'DELETE',
            path: `/v1/issuers/${id}`,
            token,
            ...more,
        }),
        issue: (did: string, more: Record<string, unknown> = {}): Call => ({
            method: 'POST',
            path: '/v1/credentials',
            token,
            body: issueBody({ did }, SUBJECT, more),
        }),
    };
}

/** Creates an API key and an issuer. Returns them with functions that make calls with them. */
export async function managing(method: 'key' | 'web' = 'web') {
    const token = await aKey();
    const calls = issuerCalls(token);
    const issuer: Issuer = await expectOk(201, calls.create({ name: 'Registrar', method }));
    return {
        token,
        calls,
        issuer,
        issued: () => issue(token, issuer),
        /** Verifies a credential of the issuer on each gateway. Returns the two answers. */
        verdicts: async (credential: string) => [
            await verify(token, credential, issuer.did),
            await expectOk(200, {
                method: 'POST',
                path: '/v1/credentials/verify',
                token,
                body: { credential, issuer_did: issuer.did, check_revocation: true },
                gateway: 1,
            }),
        ],
    };
}

interface DidDocument {
    '@context': string[];
    id: string;
    verificationMethod: Array<{
        id: string;
        type: string;
        controller: string;
        publicKeyMultibase?: string;
        publicKeyJwk?: Record<string, string>;
    }>;
    authentication: string[];
    assertionMethod: string[];
}

/** Reads the DID document of an issuer, as anybody may. */
export async function documentOf({ issuer_id }: { issuer_id: string }, gateway = 0): Promise<DidDocument> {
    const { body } = await send({ path: `/issuers/${issuer_id}/did.json`, gateway });
    return body as unknown as DidDocument; // a document has no envelope
}
