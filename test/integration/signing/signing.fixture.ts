import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { Database } from '../../../platform/postgres/db.ts';
import { loadConfig } from '../../../platform/process/config.ts';
import type { ServiceOf } from '../../../platform/rpc/definition.ts';
import { createMetrics } from '../../../platform/telemetry/metrics.ts';
import { DidServiceDefinition } from '../../../proto/gen/did/v1/did.ts';
import { SigningServiceDefinition } from '../../../proto/gen/signing/v1/signing.ts';
import { didService } from '../../../services/did/service.ts';
import { didStore } from '../../../services/did/store.ts';
import type { Idempotency } from '../../../services/idempotency/idempotency.ts';
import { leasesEnd } from '../../../services/issuers/leases.ts';
import { seals } from '../../../services/signing/data-keys.ts';
import { keyEncryption } from '../../../services/signing/key-encryption/key-encryption.ts';
import { signingService } from '../../../services/signing/service.ts';
import { signers } from '../../../services/signing/signers.ts';
import { signingStore } from '../../../services/signing/store.ts';
import { webhookSecretsStore } from '../../../services/signing/webhook-secrets/secrets.store.ts';
import type { Signatures } from '../../../workers/crypto/signatures.ts';
import { testContext, testDatabase } from '../../support/harness.ts';
import { inlineSignatures } from '../../support/issuers/inline-signatures.ts';
import { AMPLE, NO_QUOTA } from '../services/ample.ts';
import { reached, testCursors } from '../services/reached.ts';
import { testIdempotency } from '../services/test-idempotency.ts';

export const PUBLIC_URL = 'https://credentials.example/base';

export type Signing = ServiceOf<typeof SigningServiceDefinition>;

interface Parts {
    did: ServiceOf<typeof DidServiceDefinition>;
    signatures: Signatures;
    idempotency: Idempotency;
    clock: () => number;
}

/** Starts a signing service. Another one on the same database is another process with the same key-encryption keys. */
export function testSigning(
    db: Database,
    { did, ...parts }: Parts,
    changes: { kek?: string; quota?: typeof AMPLE; publicUrl?: string | undefined } = {},
): Signing {
    const { kek = randomBytes(32).toString('base64'), quota = AMPLE } = changes;
    const publicUrl = 'publicUrl' in changes ? changes.publicUrl : PUBLIC_URL;
    const store = signingStore(db);
    const encryption = keyEncryption({ config: loadConfig({ KEK: kek }), metrics: createMetrics() });
    const accountSeals = seals({ store, encryption, clock: parts.clock });
    const dependencies = {
        ...parts,
        store,
        webhookSecrets: webhookSecretsStore(db),
        seals: accountSeals,
        signers: signers({ store, seals: accountSeals }),
        services: { did },
        cursors: testCursors,
        publicUrl,
        quota,
        leasesEnd,
    };
    return reached(SigningServiceDefinition, signingService(dependencies));
}

/** Starts the signing service on a new database. `open` starts a further process of it. */
export async function startSigning() {
    const { db, url } = await testDatabase();
    const signatures = inlineSignatures();
    const kek = randomBytes(32).toString('base64');
    const idempotency = testIdempotency(db);
    const did: Parts['did'] = reached(
        DidServiceDefinition,
        didService({
            store: didStore(db),
            signatures,
            quota: NO_QUOTA,
            idempotency: idempotency('did'),
            clock: Date.now,
        }),
    );
    const parts = { did, signatures, idempotency: idempotency('signing'), clock: Date.now };
    const open = (changes: Parameters<typeof testSigning>[2] = {}) => testSigning(db, parts, { kek, ...changes });
    return { db, url, did, kek, open, signing: open() };
}

/** Creates an issuer of a new account. */
export async function newIssuer(signing: Signing, method: 'key' | 'web', context = testContext()) {
    const issuer = await signing.createIssuer({ name: 'Registrar', method }, context);
    const [key] = issuer.keys;
    assert.ok(key);
    return { ...issuer, kid: key.kid, context };
}
