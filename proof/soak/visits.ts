import { ApiError, type Client } from '../../client/src/client.ts';
import { service } from '../../test/e2e/support/client.ts';
import {
    type Account,
    aManagedIssuer,
    type Did,
    issueBody,
    login,
    newAccount,
    newDid,
    newKey,
    newWallet,
    presentationBody,
    type Wallet,
} from '../../test/e2e/support/world.ts';
import { collected } from '../../test/support/collected.ts';
import { issuerSteps, type ManagedIssuer } from './issuer-steps.ts';
import { batchSteps, issueTwice, statusListSteps } from './issuing-steps.ts';
import { offerSteps } from './offer-steps.ts';
import type { Step } from './step.ts';
import { webhookSteps } from './webhook-steps.ts';

/** A client that returns with the same account, key, DID, issuer and wallet, so that a visit adds only rows. */
interface Visitor {
    account: Account;
    api_key: string;
    did: Did;
    /** A did:web. Its issuers and their keys are never deleted, so a visit creates none. */
    issuer: ManagedIssuer;
    wallet: Wallet;
}

export async function newVisitor(): Promise<Visitor> {
    const account = await newAccount();
    const { api_key } = await newKey(account);
    const issuer = await aManagedIssuer({ token: api_key });
    return { account, api_key, did: await newDid(api_key), issuer, wallet: await newWallet(api_key) };
}

/**
 * Makes one visit: calls every endpoint at least once, except those that change issuers. Returns the number of calls,
 * and the statuses of refused calls.
 */
export async function visit(visitor: Visitor): Promise<{ calls: number; refused: number[] }> {
    const session = await login(visitor.account);
    const client = service.as({ token: visitor.api_key });
    const [issued, presented] = await present(client, visitor);
    const credentialId = issued.credential_id;
    const steps = [
        ...accountSteps(service.as({ token: session.token }), visitor),
        ...(await keySteps(service.as({ token: session.token }))),
        ...credentialSteps(client, visitor, issued),
        ...issuerSteps(client, visitor.issuer),
        () => client.presentations.verify({ presentation: presented.presentation, audience: presented.audience }),
        ...walletSteps(client, visitor, issued),
        ...webhookSteps(client),
        ...offerSteps(client, visitor.issuer),
        () => service.internal.keys.verify({ api_key: visitor.api_key, scope: 'dids:read' }),
        ...internalSteps(visitor, session.token, {
            ...issued,
            presentation: presented.presentation,
            audience: presented.audience,
        }),
        () => client.credentials.revoke({ credential_id: credentialId, issuer_did: visitor.did.did, reason: 'over' }),
        () =>
            service.internal.credentials.revoke({
                credential_id: credentialId,
                issuer_did: visitor.did.did,
                reason: 'over',
            }),
    ];
    const refused: number[] = [];
    const run = async (step: Step): Promise<unknown> => {
        try {
            return await step();
        } catch (error) {
            if (!(error instanceof ApiError)) throw error;
            return void refused.push(error.status);
        }
    };
    for (const step of steps) await run(step);
    const renewed = (await run(() => service.internal.auth.refresh({ refresh_token: session.refresh_token }))) as
        | { token: string }
        | undefined; // as the client types it
    await run(() => service.internal.auth.logout({ token: renewed?.token ?? session.token }));
    return { calls: steps.length + 5, refused };
}

async function present(client: Client, { did }: Visitor) {
    const issued = await client.credentials.issue(issueBody(did, 'did:web:subject.example'));
    const presented = await client.presentations.create(presentationBody(did, [issued.credential]));
    return [issued, { ...presented, audience: 'did:web:verifier.example' }] as const;
}

function accountSteps({ me }: Client, { account: { password } }: Visitor): Step[] {
    return [
        () => me.get(),
        () => me.update({ name: 'Visitor' }),
        () => me.stats(),
        () => me.quotas(),
        () => collected(me.export()),
        () => me.changePassword({ current_password: password, new_password: password }),
        async () => {
            const leaver = await newAccount();
            return service.as(leaver).me.delete({ password: leaver.password, confirm: 'delete' });
        },
    ];
}

/** Creates a key and revokes it without using it, because Redis keeps an entry for a used key for two days. */
async function keySteps({ keys }: Client): Promise<Step[]> {
    const keyId = (await keys.list()).keys.find(({ active }) => active)?.key_id ?? '';
    let made: string | undefined;
    return [
        async () => {
            made = (await keys.generate({ name: 'visit' })).key_id;
        },
        () => keys.list(),
        () => keys.get({ key_id: keyId }),
        () => keys.update({ key_id: keyId, name: 'visited' }),
        () => keys.update({ key_id: made ?? '', scopes: ['dids:read'], allowed_addresses: ['127.0.0.0/8'] }),
        async () => {
            made = (await keys.rotate({ key_id: made ?? '', overlap_seconds: 0 })).key_id;
        },
        () => keys.revoke({ key_id: made ?? '' }),
    ];
}

function credentialSteps(
    client: Client,
    { did }: Visitor,
    issued: { credential: string; credential_id: string },
): Step[] {
    const { credential, credential_id } = issued;
    return [
        () => client.did.resolve({ did: did.did }),
        () => client.did.document({ did: did.did }),
        () => client.did.create({ public_key: did.public_key }),
        ...issueTwice(client, did),
        ...batchSteps(client, did),
        ...statusListSteps(client, did),
        () => client.credentials.verify({ credential, issuer_did: did.did, check_revocation: true }),
        () => client.credentials.status({ credential_id }),
        () => client.credentials.batch.verify({ items: [{ credential }] }),
        () => client.credentials.batch.status({ credential_ids: [credential_id] }),
        () => client.credentials.byIssuer({ issuer_did: did.did, limit: 25 }),
        () => client.credentials.bySubject({ subject_did: did.did, limit: 25 }),
        () => client.events.list({ types: 'credential.issued', limit: 25 }),
    ];
}

function walletSteps(
    { wallets }: Client,
    { wallet: { wallet_id, password } }: Visitor,
    issued: { credential: string; credential_id: string },
): Step[] {
    const { credential, credential_id } = issued;
    return [
        () => wallets.create({ name: 'visit', password }),
        () => wallets.open({ wallet_id, password }),
        () => wallets.addCredential({ wallet_id, password, credential }),
        () => wallets.listCredentials({ wallet_id, password }),
        () => wallets.deleteCredential({ wallet_id, password, credential_id }),
    ];
}

function internalSteps(
    { account, did, wallet }: Visitor,
    token: string,
    issued: { credential: string; presentation: string; audience: string },
): Step[] {
    const { internal } = service;
    const { email, password } = account;
    const { wallet_id } = wallet;
    return [
        () => internal.auth.register({ email, password }),
        () => internal.admin.createUsers({ users: [{ email, password }] }),
        () => internal.subjects.erase({ subject_did: 'did:web:nobody.example' }),
        () => internal.admin.importUsers({ users: [{ email, password_hash: 'of no form' }] }),
        () => service.as({ token }).internal.auth.me(),
        () => internal.admin.stats(),
        () => collected(internal.admin.audit({ from: new Date().toISOString() })),
        () => internal.health(),
        () => internal.did.create({ public_key: did.public_key }),
        () => internal.did.resolve({ did: did.did }),
        () => internal.credentials.issue(issueBody(did, 'did:web:subject.example')),
        () => internal.credentials.verify({ credential: issued.credential, issuer_did: did.did }),
        () => internal.presentations.create(presentationBody(did, [issued.credential])),
        () => internal.presentations.verify({ presentation: issued.presentation, audience: issued.audience }),
        () => internal.wallets.create({ name: 'visit', password: wallet.password }),
        () => internal.wallets.open({ wallet_id, password: wallet.password }),
    ];
}
