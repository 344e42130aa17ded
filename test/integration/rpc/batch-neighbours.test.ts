import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { asAppError } from '../../../platform/errors.ts';
import { newId } from '../../../platform/ids.ts';
import type { ServiceDefinition } from '../../../platform/rpc/definition.ts';
import { SERVICE_DEFINITIONS, SERVICE_ROLES, type ServiceRole } from '../../../proto/services.ts';
import { testContext } from '../../support/harness.ts';
import { PASSWORD } from '../identity/identity.fixture.ts';
import { SPOILERS, spoilt, startAll, textsOf } from './batch-neighbours.fixture.ts';

const { closing, services } = await startAll();
const { did, identity, keys, credentials, presentations, wallet } = services;

const email = `${newId()}@example.org`;
const { user_id } = await identity.register({ email, password: PASSWORD }, testContext());
const { session } = await identity.login({ email, password: PASSWORD }, testContext());
/** The context of a call from a new address, so that a wrong password makes no other call wait. */
const caller = () => testContext({ user_id, tier: 'enterprise', address: newId() });
const own = await did.create({}, caller());
const privateKey = own.private_key ?? assert.fail();
const issuance = {
    issuer_did: own.did,
    issuer_private_key: privateKey,
    subject_did: own.did,
    credential_type: 'Membership',
    claims: '{"a":"b"}',
};
const issued = await credentials.issue(issuance, caller());
const { credential, credential_id } = issued;
const presentationRequest = {
    holder_did: own.did,
    holder_private_key: privateKey,
    credentials: [credential],
    audience: own.did,
};
const { presentation } = await presentations.create(presentationRequest, caller());
const { key_id } = await keys.generate({ name: 'a key', scopes: [], allowed_addresses: [] }, caller());
const { wallet_id } = await wallet.create({ name: 'a wallet', password: PASSWORD }, caller());
const page = { limit: 10, with_total: true };
const token = session?.token ?? assert.fail();

/**
 * Requests that get further than an empty message, which all other methods get. Some are refused, which must not affect
 * other calls in the batch either.
 */
const REQUESTS: { [Role in ServiceRole]?: { [Method in keyof (typeof services)[Role]]?: () => object } } = {
    did: {
        create: () => ({ public_key: own.public_key }),
        recordForWallet: () => ({ public_key: own.public_key }),
        resolve: () => ({ did: own.did, derive: false }),
        filterOwned: () => ({ dids: [own.did, 'did:web:example.org'] }),
    },
    identity: {
        register: () => ({ email: `${newId()}@example.org`, password: PASSWORD, name: 'Ada' }),
        login: () => ({ email: `${newId()}@example.org`, password: PASSWORD }),
        logout: () => ({ token: 'no token' }),
        refresh: () => ({ refresh_token: 'no token' }),
        introspect: () => ({ token }),
        updateUser: () => ({ name: 'Grace', email }),
        changePassword: () => ({ current_password: '-'.repeat(1_000), new_password: 'short' }),
        createUsers: () => ({
            users: [{ email: `${newId()}@example.org`, password: PASSWORD, name: 'A', tier: 'pro' }],
        }),
        confirmSession: () => ({ session_id: newId() }),
    },
    keys: {
        generate: () => ({ name: 'another', tier: 'free', scopes: ['dids:read'], allowed_addresses: ['10.0.0.0/8'] }),
        list: () => ({ ...page, cursor: newId() }),
        get: () => ({ key_id }),
        revoke: () => ({ key_id: newId() }),
        rename: () => ({ key_id, name: 'renamed' }),
        restrict: () => ({ key_id, name: 'restricted', scopes: ['dids:read'], allowed_addresses: ['10.0.0.0/8'] }),
        rotate: () => ({ key_id: newId(), overlap_seconds: 1 }),
        authenticate: () => ({ hash: new Uint8Array(32) }),
        check: () => ({ api_key: 'no key', scope: 'dids:read', address: '10.0.0.1' }),
    },
    credentials: {
        issue: () => ({ ...issuance, expiration_date: '2100-01-01' }),
        verify: () => ({ credential, issuer_did: own.did, check_revocation: true }),
        verifyMany: () => ({ credentials: [credential, 'no token'], check_revocation: true }),
        revoke: () => ({ credential_id: `urn:uuid:${newId()}`, issuer_did: own.did, reason: 'none' }),
        getStatus: () => ({ credential_id }),
        list: () => ({ ...page, issuer_did: own.did }),
    },
    presentations: {
        create: () => ({ ...presentationRequest, nonce: 'n', domain: 'd' }),
        verify: () => ({
            presentation,
            audience: own.did,
            nonce: 'n',
            verify_credentials: true,
            check_revocation: true,
        }),
    },
    wallet: {
        create: () => ({ name: 'another', description: 'a', password: PASSWORD }),
        open: () => ({ wallet_id, password: PASSWORD }),
        addCredential: () => ({ wallet_id, password: PASSWORD, credential, metadata: '{"a":"b"}' }),
        listCredentials: () => ({ ...page, wallet_id, password: PASSWORD, with_tokens: false }),
        deleteCredential: () => ({ wallet_id, password: PASSWORD, credential_id: `urn:uuid:${newId()}` }),
    },
    usage: { getKeyUsage: () => ({ key_ids: [key_id] }) },
};

interface Method {
    name: string;
    request(): object;
    call(request: object, context: object): Promise<unknown>;
}

const METHODS = SERVICE_ROLES.flatMap((role) => {
    const { methods }: ServiceDefinition = SERVICE_DEFINITIONS[role];
    const listed: Record<string, Method['request']> = REQUESTS[role] ?? {};
    return Object.entries(methods).map(([name, { requestType }]): Method => {
        const empty = () => requestType.decode(new Uint8Array()) as object; // a message is an object
        const call = services[role][name as never] as Method['call']; // the service has the methods of its definition
        return { name: `${role}.${name}`, request: listed[name] ?? empty, call };
    });
});

/** How a call ends: `ok`, or the kind of its error. */
const outcomeOf = (call: Promise<unknown>): Promise<string> =>
    call.then(
        () => 'ok',
        (error: unknown) => asAppError(error).kind,
    );

const spoilOrNot = fc.option(fc.record({ place: fc.nat(), spoiler: fc.nat({ max: SPOILERS.length - 1 }) }));
/** Concurrent calls of two methods, so that many of them share a batch. */
const calls = fc.array(fc.nat({ max: METHODS.length - 1 }), { minLength: 2, maxLength: 2 }).chain((methods) =>
    fc.array(fc.record({ method: fc.constantFrom(...methods), spoil: spoilOrNot }), {
        minLength: 2,
        maxLength: 16,
    }),
);

test('an invalid string in a call of any method never changes the outcome of other calls in its batch', async (t) => {
    t.after(() => closing.disposeAsync());
    const expected = new Map<string, string>();
    for (const { name, request, call } of METHODS) expected.set(name, await outcomeOf(call(request(), caller())));
    assert.ok(
        !['internal', 'unavailable'].some((kind) => [...expected.values()].includes(kind)),
        'every method can be served',
    );

    await fc.assert(
        fc.asyncProperty(calls, async (made) => {
            const outcomes = made.map(async ({ method, spoil }) => {
                const { name, request, call } = METHODS[method] ?? assert.fail();
                const input: unknown[] = [request(), caller()];
                if (!spoil)
                    return { name, outcome: await outcomeOf(call(input[0] as object, input[1] as object)), spoil };
                const { cancellation: _, deadline: __, user_id: ___, ...texts } = input[1] as Record<string, unknown>;
                const places = textsOf([input[0], texts]);
                const place = places[spoil.place % places.length] ?? assert.fail();
                const [bad, context] = spoilt(input, place, SPOILERS[spoil.spoiler] ?? assert.fail()) as [
                    object,
                    object,
                ];
                return { name, outcome: await outcomeOf(call(bad, context)), spoil };
            });
            for (const { name, outcome, spoil } of await Promise.all(outcomes)) {
                if (spoil) assert.ok(outcome !== 'internal', `${name} with an invalid string ends with ${outcome}`);
                else assert.equal(outcome, expected.get(name), name);
            }
        }),
        { numRuns: 300 },
    );
});
