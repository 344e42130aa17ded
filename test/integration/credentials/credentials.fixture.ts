import assert from 'node:assert/strict';
import { z } from 'zod';
import type { CallContext } from '../../../platform/context.ts';
import { AppError, type ErrorKind } from '../../../platform/errors.ts';
import { type Database, sql } from '../../../platform/postgres/db.ts';
import type { ServiceOf } from '../../../platform/rpc/definition.ts';
import { createMetrics } from '../../../platform/telemetry/metrics.ts';
import { CredentialsServiceDefinition, type IssueRequest } from '../../../proto/gen/credentials/v1/credentials.ts';
import { DidServiceDefinition } from '../../../proto/gen/did/v1/did.ts';
import { COUNTED_BY, type CountedKind, deltasOf } from '../../../services/counts/pending.store.ts';
import { batches } from '../../../services/credentials/batches.ts';
import { partedStore } from '../../../services/credentials/parts/parted-store.ts';
import { credentialsService } from '../../../services/credentials/service.ts';
import { didService } from '../../../services/did/service.ts';
import { didStore } from '../../../services/did/store.ts';
import { testContext, testDatabase } from '../../support/harness.ts';
import { inlineSignatures } from '../../support/issuers/inline-signatures.ts';
import { NO_QUOTA } from '../services/ample.ts';
import { reached, testCursors } from '../services/reached.ts';
import { testIdempotency } from '../services/test-idempotency.ts';
import { PUBLIC_URL, testSigning } from '../signing/signing.fixture.ts';
import { undivided } from './undivided.ts';

type Did = ServiceOf<typeof DidServiceDefinition>;
export type Credentials = ServiceOf<typeof CredentialsServiceDefinition>;

/** Starts the did and the credentials service on a new database. */
export async function startServices() {
    const { db } = await testDatabase();
    const signatures = inlineSignatures();
    const time = { aheadMs: 0 };
    const clock = () => Date.now() + time.aheadMs;
    const idempotency = testIdempotency(db, clock);
    const did: Did = reached(
        DidServiceDefinition,
        didService({ store: didStore(db), signatures, quota: NO_QUOTA, idempotency: idempotency('did'), clock }),
    );
    /** Starts a signing service with a key-encryption key of its own. */
    const openSigning = () => testSigning(db, { did, signatures, idempotency: idempotency('signing'), clock });
    const signing = openSigning();
    const parts = undivided(db);
    const store = partedStore(parts);
    const dependencies = {
        parts,
        signatures,
        batches: batches(createMetrics()),
        cursors: testCursors,
        idempotency: idempotency('credentials'),
        quota: NO_QUOTA,
        publicUrl: PUBLIC_URL,
        clock,
    };
    const open = (listScope: 'owner' | 'platform', services = { did, signing }): Credentials =>
        reached(CredentialsServiceDefinition, credentialsService({ ...dependencies, services, listScope }));
    const more = { dependencies, idempotency, open, credentials: open('owner') };
    return { db, signatures, did, signing, openSigning, store, time, clock, ...more };
}

/** The context of a call by a trusted caller that acts for no account. */
export function internalContext(): CallContext {
    return testContext({ user_id: undefined, trusted: true });
}

export interface Party {
    context: CallContext;
    account: string;
    did: string;
    private_key: Uint8Array;
}

/** Creates an account with a generated DID. */
export async function newParty(did: Did): Promise<Party> {
    const context = testContext({ deadline: performance.now() + 300_000 }); // as long as a test file may take
    const created = await did.create({}, context);
    assert.ok(created.private_key && context.user_id);
    return { context, account: context.user_id, did: created.did, private_key: created.private_key };
}

/** A request to issue a credential. The party is issuer and subject, unless `changes` says otherwise. */
export function requestBy(party: Party, changes: Partial<IssueRequest> = {}): IssueRequest {
    return {
        issuer_did: party.did,
        issuer_private_key: party.private_key,
        subject_did: party.did,
        credential_type: 'EmploymentCredential',
        claims: '{"role":"engineer"}',
        ...changes,
    };
}

/** Starts the services, and creates an account with a DID that issues credentials. */
export async function startIssuing() {
    const services = await startServices();
    const { did, credentials } = services;
    const issuer = await newParty(did);
    return {
        ...services,
        issuer,
        issue: (changes: Partial<IssueRequest> = {}) => credentials.issue(requestBy(issuer, changes), issuer.context),
        verify: (credential: string, { issuer_did = issuer.did, check_revocation = false } = {}) =>
            credentials.verify({ credential, issuer_did, check_revocation }, testContext()),
    };
}

/** Fails unless the call is refused with an AppError of this kind. */
export function refuses(kind: ErrorKind, call: Promise<unknown>): Promise<void> {
    return assert.rejects(call, (error) => error instanceof AppError && error.kind === kind);
}

/** The sum of the pending counts of one kind; `null` stands for calls without an account. */
export async function counted(db: Database, account: string | null, kind: CountedKind): Promise<number> {
    const [row] = await db.rows(sql.type(z.strictObject({ amount: z.number().nullable() }))`
        SELECT sum(amount)::bigint AS amount FROM ${deltasOf(COUNTED_BY[kind])}
        WHERE account IS NOT DISTINCT FROM ${account}::uuid AND kind = ${kind}`);
    return row?.amount ?? 0;
}

/** A copy without the members that are undefined, as JSON would show it. */
export function shown<Value>(value: Value): Value {
    return JSON.parse(JSON.stringify(value));
}
