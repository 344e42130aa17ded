// A client of the services over gRPC, for Node.js with @grpc/grpc-js and @grpc/proto-loader and the folder proto/:
//
//   SERVICE_TOKEN=$(cat .data/service-token) node docs/examples/grpc-client.mjs 127.0.0.1:PORT
//
// PORT is what `npm start` shows beside gRPC. Where each role runs in a process of its own, IDENTITY_ADDRESS, DID_ADDRESS
// and CREDENTIALS_ADDRESS say where.
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client, credentials, Metadata, status } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';

const PROTOS = fileURLToPath(new URL('../../proto', import.meta.url));
const TIMEOUT_MS = 5_000;
const ATTEMPTS = 3;

/** The methods of a service: (request, user_id) → answer. */
function connect(role, service) {
    const address = process.env[`${role.toUpperCase()}_ADDRESS`] ?? process.argv[2];
    const grpc = new Client(address, credentials.createInsecure()); // createSsl(…) where the service has TLS
    const definition = loadSync(`${role}/v1/${role}.proto`, { includeDirs: [PROTOS], keepCase: true, defaults: true });
    const methods = Object.entries(definition[`${role}.v1.${service}`]).map(([name, method]) => [
        name,
        (request, user_id) => call(grpc, method, request, user_id),
    ]);
    return { ...Object.fromEntries(methods), close: () => grpc.close() };
}

/** Calls with a deadline for all attempts together. What may have run already is repeated only where that does no harm. */
async function call(grpc, method, request, user_id) {
    const metadata = new Metadata();
    metadata.set('authorization', `Bearer ${process.env.SERVICE_TOKEN}`);
    if (user_id) metadata.set('x-on-behalf-of', user_id);
    const safe = ['NO_SIDE_EFFECTS', 'IDEMPOTENT'].includes(method.options.idempotency_level);
    const deadline = Date.now() + TIMEOUT_MS;
    for (let attempt = 1; ; attempt++) {
        try {
            return await once(grpc, method, request, metadata, deadline);
        } catch (error) {
            const refused = error.code === status.RESOURCE_EXHAUSTED; // it has not run
            const retry_after = Number(error.metadata.get('retry-after')[0] ?? 0);
            const again = retry_after > 0 && (refused || (safe && error.code === status.UNAVAILABLE));
            if (!again || attempt === ATTEMPTS || Date.now() + retry_after * 1_000 > deadline) throw error;
            await delay(retry_after * 1_000);
        }
    }
}

function once(grpc, { path, requestSerialize, responseDeserialize }, request, metadata, deadline) {
    return new Promise((resolve, reject) => {
        grpc.makeUnaryRequest(
            path,
            requestSerialize,
            responseDeserialize,
            request,
            metadata,
            { deadline },
            (error, response) => (error ? reject(error) : resolve(response)),
        );
    });
}

const identity = connect('identity', 'IdentityService');
const did = connect('did', 'DidService');
const credential = connect('credentials', 'CredentialsService');

const email = `ada-${randomUUID()}@example.com`;
const { user_id } = await identity.Register({ email, password: 'a long pass phrase' });
console.log('registered', user_id);

const issuer = await did.Create({}, user_id);
console.log('made', issuer.did);

const issued = await credential.Issue(
    {
        issuer_did: issuer.did,
        issuer_private_key: issuer.private_key,
        subject_did: 'did:web:grace.example',
        credential_type: 'EmploymentCredential',
        claims: JSON.stringify({ role: 'engineer' }),
    },
    user_id,
);
console.log('issued', issued.credential_id);

const check = { credential: issued.credential, issuer_did: issuer.did, check_revocation: true };
console.log('valid:', (await credential.Verify(check, user_id)).valid);

const revocation = { credential_id: issued.credential_id, issuer_did: issuer.did, reason: 'left' };
const refusal = await credential.Revoke(revocation, randomUUID()).catch((error) => error);
console.log('somebody else may not revoke it:', status[refusal.code], `(${refusal.details})`);

console.log('revoked', (await credential.Revoke(revocation, user_id)).revoked_at);
console.log('valid:', (await credential.Verify(check, user_id)).valid);

for (const service of [identity, did, credential]) service.close();
