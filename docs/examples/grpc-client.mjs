// A gRPC client of the services for Node.js. It needs @grpc/grpc-js, @grpc/proto-loader and the folder proto/.
//
//   SERVICE_TOKEN=$(cat .data/service-token) node docs/examples/grpc-client.mjs 127.0.0.1:PORT
//
// PORT is the port that `npm start` prints beside "gRPC". If each role runs in a process of its own, set IDENTITY_ADDRESS,
// DID_ADDRESS and CREDENTIALS_ADDRESS to the addresses of these roles.
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client, credentials, Metadata, status } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';

const PROTOS = fileURLToPath(new URL('../../proto', import.meta.url));
const TIMEOUT_MS = 5_000;
const ATTEMPTS = 3;

/** Returns the methods of a service, each as (request, userId) → answer. */
function connect(role, service) {
    const address = process.env[`${role.toUpperCase()}_ADDRESS`] ?? process.argv[2];
    const grpc = new Client(address, credentials.createInsecure()); // createSsl(…) if the service uses TLS
    const definition = loadSync(`${role}/v1/${role}.proto`, { includeDirs: [PROTOS], keepCase: true, defaults: true });
    const methods = Object.entries(definition[`${role}.v1.${service}`]).map(([name, method]) => [
        name,
        (request, userId) => call(grpc, method, request, userId),
    ]);
    return { ...Object.fromEntries(methods), close: () => grpc.close() };
}

/**
 * Calls a method. All attempts together have one deadline. A call that may have run already is repeated only if that
 * does no harm.
 */
async function call(grpc, method, request, userId) {
    const metadata = new Metadata();
    metadata.set('authorization', `Bearer ${process.env.SERVICE_TOKEN}`);
    if (userId) metadata.set('x-on-behalf-of', userId);
    const safe = ['NO_SIDE_EFFECTS', 'IDEMPOTENT'].includes(method.options.idempotency_level);
    const deadline = Date.now() + TIMEOUT_MS;
    for (let attempt = 1; ; attempt++) {
        try {
            return await once(grpc, method, request, metadata, deadline);
        } catch (error) {
            const refused = error.code === status.RESOURCE_EXHAUSTED; // the call has not run
            const retryAfter = Number(error.metadata.get('retry-after')[0] ?? 0);
            const again = retryAfter > 0 && (refused || (safe && error.code === status.UNAVAILABLE));
            if (!again || attempt === ATTEMPTS || Date.now() + retryAfter * 1_000 > deadline) throw error;
            await delay(retryAfter * 1_000);
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
