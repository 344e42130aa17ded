import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../../../platform/errors.ts';
import { newId } from '../../../platform/ids.ts';
import { writePayload } from '../../../tokens/credential.ts';
import { generateKey, signPayload } from '../../../workers/crypto/signature-jobs.ts';
import { newParty, refuses, requestBy, shown } from '../credentials/credentials.fixture.ts';
import { issue, PASSWORD, startWallets } from './wallet.fixture.ts';

const services = await startWallets();
const { did, wallets, credentials, newWallet, issuer, derived } = services;

test('deleting a credential that two wallets hold removes it from one of them only', async () => {
    const [one, other] = [await newWallet(), await newWallet()];
    const { credential, credential_id } = await issue(services, issuer);
    for (const { access, context } of [one, other]) await wallets.addCredential({ ...access, credential }, context);
    await wallets.deleteCredential({ ...one.access, credential_id }, one.context);
    const totalOf = async ({ access, context }: typeof one) => {
        const page = { limit: 10, with_total: true, with_tokens: false };
        return (await wallets.listCredentials({ ...access, ...page }, context)).total;
    };
    assert.deepEqual([await totalOf(one), await totalOf(other)], [0, 1]);
});

test('only a credential that its issuer has signed is stored', async () => {
    const { access, context } = await newWallet();
    const { credential } = await issue(services, issuer);
    const key = generateKey();
    const content = {
        credential_id: `urn:uuid:${newId()}`,
        issuer: issuer.did, // but signed with another key
        subject: issuer.did,
        credential_type: 'EmploymentCredential',
        issued_at: new Date().toISOString(),
        expires_at: undefined,
        claims: '{}',
    };
    const sign = (payload: string) => signPayload({ did: key.did, secretKey: key.seed, payload });
    const swapped = credential.at(-5) === 'A' ? 'B' : 'A';
    const bad = {
        'no token': 'v4.public.',
        'another version': credential.replace('v4', 'v3'),
        'a changed signature': credential.slice(0, -5) + swapped + credential.slice(-4),
        'a footer': `${credential}.Zm9v`,
        'the name of another issuer': sign(writePayload(content)),
        'no credential': sign(writePayload({ ...content, issuer: key.did }).replace('"credential"', '"presentation"')),
        'an id of its own kind': sign(writePayload({ ...content, issuer: key.did, credential_id: 'urn:isbn:1' })),
        'no JSON': sign('{'),
    };
    for (const [what, token] of Object.entries(bad)) {
        const error = await wallets.addCredential({ ...access, credential: token }, context).catch((thrown) => thrown);
        assert.ok(error instanceof AppError && error.kind === 'invalid', what);
        assert.equal(error.message.includes(PASSWORD), false);
    }
    await wallets.addCredential(
        { ...access, credential: sign(writePayload({ ...content, issuer: key.did })) },
        context,
    );
    assert.equal((await wallets.open(access, context)).credentials?.credentials.length, 1);
});

test('an error that can be found without the password is answered before the password is tried', async () => {
    const { access, context } = await newWallet();
    const { credential } = await issue(services, issuer);
    derived.length = 0;
    const wrong = { ...access, password: 'wrong' };
    const page = { limit: 10, with_total: true, with_tokens: false };
    await refuses('invalid', wallets.addCredential({ ...wrong, credential: 'v4.public.x' }, context));
    for (const metadata of ['', '[]', '"x"', '{', '{}}', '{"a":1,"a":2}', `{"a":"${'x'.repeat(16_384)}"}`]) {
        await refuses('invalid', wallets.addCredential({ ...wrong, credential, metadata }, context));
    }
    await refuses('invalid', wallets.deleteCredential({ ...wrong, credential_id: newId() }, context));
    for (const limit of [0, 1_001])
        await refuses('invalid', wallets.listCredentials({ ...wrong, ...page, limit }, context));
    await refuses('invalid', wallets.listCredentials({ ...wrong, ...page, cursor: 'x' }, context));
    assert.equal(derived.length, 0);
    const tampered = `${credential.slice(0, -4)}AAAA`;
    await refuses('unauthenticated', wallets.addCredential({ ...wrong, credential: tampered }, context));
});

test('expired and revoked credentials may be stored, and metadata comes back unchanged', async () => {
    const { access, context } = await newWallet();
    const metadata = '{ "b":1.0,"a":12345678901234567890, "__proto__":{"x":null},"ß":"\\u00df" }';
    const { credential, credential_id } = await issue(services, issuer, { expiration_date: '2001-01-01' });
    await credentials.revoke({ credential_id, issuer_did: issuer.did }, issuer.context);
    const stored = await wallets.addCredential({ ...access, credential, metadata }, context);
    assert.deepEqual(shown(stored), {
        credential_id,
        wallet_id: access.wallet_id,
        credential_type: requestBy(issuer).credential_type,
        issuer: issuer.did,
        stored_at: stored.stored_at,
    });
    const [entry] = (await wallets.open(access, context)).credentials?.credentials ?? [];
    const { wallet_id: _, ...rest } = stored;
    assert.deepEqual(entry, { ...rest, credential, metadata });
});

test('a credential in a wallet cannot be replaced by one of another issuer with the same id', async () => {
    const { access, context } = await newWallet();
    const { credential, credential_id } = await issue(services, issuer);
    await wallets.addCredential({ ...access, credential }, context);
    const rival = await newParty(did);
    const sign = ({ did: iss, private_key }: typeof rival, credentialType: string) =>
        signPayload({
            did: iss,
            secretKey: private_key,
            payload: writePayload({
                credential_id,
                issuer: iss,
                subject: iss,
                credential_type: credentialType,
                issued_at: new Date().toISOString(),
                expires_at: undefined,
                claims: '{}',
            }),
        });
    await refuses('invalid', wallets.addCredential({ ...access, credential: sign(rival, 'Forged') }, context));
    const held = async () => (await wallets.open(access, context)).credentials?.credentials;
    assert.deepEqual(
        (await held())?.map((entry) => entry.credential),
        [credential],
    );
    // A newer credential of the same issuer does replace it.
    const renewed = sign(issuer, 'Renewed');
    await wallets.addCredential({ ...access, credential: renewed }, context);
    assert.deepEqual(
        (await held())?.map((entry) => [entry.credential, entry.credential_type]),
        [[renewed, 'Renewed']],
    );
});
