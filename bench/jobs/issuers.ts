import type { JwsAlgorithm } from '../../tokens/jws.ts';
import type { HttpRequest } from '../load/requests.ts';
import { CREDENTIAL_TYPE, claimsOf, privateKeyOf, type Signer, SUBJECT } from '../tokens.ts';
import type { World } from '../world.ts';

/** Who issues: a DID and, unless it is a managed issuer, its key pair. */
export type Issuer = Pick<Signer, 'did'> & Partial<Signer>;

interface ManagedIssuer extends Issuer {
    issuer_id: string;
}

/** Creates a managed issuer for each account. */
export function newIssuers(world: World, method: 'key' | 'web', alg?: JwsAlgorithm): Promise<ManagedIssuer[]> {
    return Promise.all(
        world.accounts.map(async ({ api_key: token }) => {
            const created = await world.call({ path: '/v1/issuers', token, body: { name: 'bench', method } });
            const [did, issuerId] = [String(created['did']), String(created['issuer_id'])];
            if (alg) await world.call({ path: `/v1/issuers/${issuerId}/rotate`, token, body: { alg } });
            return { did, issuer_id: issuerId };
        }),
    );
}

/** `more` adds fields to the body, or replaces them. */
export function issueRequest(index: number, world: World, issuer: Issuer, more: object = {}): HttpRequest {
    const { did, seed, public_key } = issuer;
    const body = {
        issuer_did: did,
        issuer_private_key: seed && public_key && privateKeyOf({ did, seed, public_key }),
        subject_did: SUBJECT,
        credential_type: CREDENTIAL_TYPE,
        claims: claimsOf(index),
        ...more,
    };
    return { method: 'POST', path: '/v1/credentials', token: world.accountOf(index).api_key, body };
}
