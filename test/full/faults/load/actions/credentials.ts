import { randomUUID } from 'node:crypto';
import { type Actor, takeAny } from '../actor.ts';
import { isAcknowledged, isRefused, type Request } from '../calls.ts';

/** Number of credentials that a client keeps for later actions. */
const IN_HAND = 20;
/** Largest number of times that a client repeats a revocation that was not acknowledged. */
const REPEATS = 3;
/**
 * Largest number of times that a client repeats an issue that was not answered, on any gateway and with the same
 * Idempotency-Key. With the pause after each, that is longer than most faults. The check finds what was issued twice.
 */
const ISSUE_REPEATS = 100;

/** Issues a credential for a new subject. Repeats the call until it is answered. */
export async function issue(actor: Actor): Promise<void> {
    const subject = `did:web:${randomUUID()}.example`;
    const type = 'EmploymentCredential';
    const claims = { role: 'engineer', number: subject.length };
    const body = {
        issuer_did: actor.did,
        issuer_private_key: actor.privateKey,
        subject_did: subject,
        credential_type: type,
        claims,
    };
    const request: Request = {
        method: 'POST',
        path: '/v1/credentials',
        token: actor.key.secret,
        idempotencyKey: randomUUID(),
        body,
    };
    const intent = { kind: 'issue', subject, type, claims } as const;
    let outcome = await actor.perform(intent, request);
    for (let turn = 0; turn < ISSUE_REPEATS && !isAcknowledged(outcome) && !isRefused(outcome); turn++) {
        outcome = await actor.perform(intent, request);
    }
    if (!isAcknowledged(outcome) || actor.credentials.length >= IN_HAND) return;
    const { credential_id, credential } = outcome.data;
    actor.credentials.push({ credentialId: String(credential_id), token: String(credential) });
}

/** Revokes a credential. Repeats the call if it was not acknowledged, as its answer asks. */
export async function revoke(actor: Actor): Promise<void> {
    const credential = takeAny(actor.credentials);
    if (!credential) return issue(actor);
    const { credentialId, token } = credential;
    const reason = `reason ${randomUUID()}`;
    const path = `/v1/credentials/revoke/${encodeURIComponent(credentialId)}`;
    for (let turn = 0; turn <= REPEATS; turn++) {
        const body = { issuer_did: actor.did, reason };
        const request = { method: 'POST', path, token: actor.key.secret, body } as const;
        if (isAcknowledged(await actor.perform({ kind: 'revoke', credentialId, token, reason }, request))) return;
    }
}

/** Presents a credential to a new verifier. */
export async function present(actor: Actor): Promise<void> {
    const [credential] = actor.credentials;
    if (!credential) return issue(actor);
    const audience = `did:web:${randomUUID()}.example`;
    const body = {
        holder_did: actor.did,
        holder_private_key: actor.privateKey,
        credentials: [credential.token],
        audience,
    };
    const request = { method: 'POST', path: '/v1/presentations', token: actor.key.secret, body } as const;
    await actor.perform({ kind: 'present', audience }, request);
}
