import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { AppError } from '../../../platform/errors.ts';
import { newId } from '../../../platform/ids.ts';
import { sql } from '../../../platform/postgres/db.ts';
import { decodeDidKey } from '../../../tokens/did-key.ts';
import { keyPairFrom } from '../../../workers/crypto/ed25519.ts';
import { openToken, signPayload } from '../../../workers/crypto/signature-jobs.ts';
import { testContext } from '../../support/harness.ts';
import { counted, internalContext, refuses } from '../credentials/credentials.fixture.ts';
import { CHEAP, issue, PASSWORD, startWallets } from './wallet.fixture.ts';

const services = await startWallets();
const { db, did, signing, wallets, newWallet, issuer, derived, open } = services;

test('an opened wallet has its own key pair, whose DID is known and belongs to the account', async () => {
    const { made, context, access } = await newWallet();
    const opened = await wallets.open(access, context);
    assert.deepEqual(opened.wallet, made);
    assert.deepEqual(opened.credentials, {
        credentials: [],
        next_cursor: undefined,
        total: undefined,
    });
    assert.equal(opened.private_key.length, 64);
    assert.deepEqual(keyPairFrom(opened.private_key)?.public_key, decodeDidKey(made.did));
    assert.deepEqual(new Uint8Array(made.public_key), decodeDidKey(made.did));
    assert.deepEqual(await did.filterOwned({ dids: [made.did] }, context), { dids: [made.did] });
    const token = signPayload({ did: made.did, secretKey: opened.private_key, payload: '{}' });
    assert.ok(openToken({ token, did: made.did, members: [], raw: [] }).ok);
});

test('the contents of a wallet cannot be read in the database', async () => {
    const context = testContext();
    const secrets = { name: 'Grüße von Ada', description: 'what nobody sees', password: 'a pass phrase of mine' };
    const { wallet_id, did: text } = await wallets.create(secrets, context);
    const access = { wallet_id, password: secrets.password };
    const { credential } = await issue(services, issuer, { credential_type: 'SecretSocietyCredential' });
    await wallets.addCredential({ ...access, credential, metadata: '{"folder":"my folder"}' }, context);
    const { private_key } = await wallets.open(access, context);

    const rows = await db.rows(sql.type(z.strictObject({ row: z.string() }))`
        SELECT to_jsonb(w) #>> '{}' AS row FROM wallet.wallets AS w
        UNION ALL SELECT to_jsonb(c) #>> '{}' FROM wallet.credentials AS c`);
    // The query returns bytea as \x and hex digits. They are decoded, so that bytes are compared with bytes.
    const dump = Buffer.concat(
        rows.flatMap(({ row }) => [
            Buffer.from(row),
            ...Array.from(row.matchAll(/\\x([0-9a-f]+)/g), ([, hex = '']) => Buffer.from(hex, 'hex')),
        ]),
    );
    assert.ok(dump.includes(wallet_id));
    const seed = Buffer.from(private_key.subarray(0, 32));
    const hidden = [
        ...Object.values(secrets),
        seed,
        seed.toString('hex'),
        seed.toString('base64'),
        credential.slice(20, 60),
        'SecretSociety',
        issuer.did,
        text,
        'my folder',
    ];
    for (const secret of hidden) assert.equal(dump.includes(secret), false, String(secret));
});

test('a key that is derived from a password is erased before the call ends', async () => {
    const { context, access } = await newWallet();
    derived.length = 0;
    await wallets.open(access, context);
    await refuses('unauthenticated', wallets.open({ ...access, password: 'wrong' }, context));
    assert.equal(derived.length, 2);
    for (const key of derived) assert.deepEqual(key, new Uint8Array(32));
});

test('every operation needs the right password', async () => {
    const { context, access } = await newWallet();
    const { credential, credential_id } = await issue(services, issuer);
    await wallets.addCredential({ ...access, credential }, context);
    const wrong = { ...access, password: `${PASSWORD} ` };
    const page = { limit: 10, with_total: true, with_tokens: false };
    await refuses('unauthenticated', wallets.open(wrong, context));
    await refuses('unauthenticated', wallets.addCredential({ ...wrong, credential }, context));
    await refuses('unauthenticated', wallets.listCredentials({ ...wrong, ...page }, context));
    await refuses('unauthenticated', wallets.deleteCredential({ ...wrong, credential_id }, context));
    assert.equal((await wallets.listCredentials({ ...access, ...page }, context)).total, 1);
});

test('a password is compared in its NFKC form and at full length', async () => {
    const composed = 'café ①';
    const { context, access } = await newWallet(testContext(), composed);
    await wallets.open({ ...access, password: 'cafe\u0301 1' }, context);
    for (const password of ['cafe 1', 'Café ①', `${composed}\u200b`]) {
        await refuses('unauthenticated', wallets.open({ ...access, password }, context));
    }
    const long = 'x'.repeat(1_023);
    const other = await newWallet(testContext(), `${long}a`);
    await refuses('unauthenticated', wallets.open({ ...other.access, password: `${long}b` }, other.context));
});

test('a password has 1 to 1,024 bytes', async () => {
    const context = testContext();
    for (const password of ['', 'x'.repeat(1_025), 'é'.repeat(513), 'a\0b']) {
        await refuses('invalid', wallets.create({ name: 'wallet', password }, context));
        await refuses('invalid', wallets.open({ wallet_id: newId(), password }, context));
    }
    for (const password of ['x', ' ', 'é'.repeat(512)]) {
        const { access } = await newWallet(context, password);
        await wallets.open(access, context);
    }
});

test('a wallet of another account is not found, whatever the password', async () => {
    const { access, context } = await newWallet();
    const { credential, credential_id } = await issue(services, issuer);
    await wallets.addCredential({ ...access, credential }, context);
    const page = { limit: 10, with_total: true, with_tokens: false };
    for (const password of [PASSWORD, 'wrong']) {
        for (const walletId of [access.wallet_id, newId(), 'x'.repeat(10_000), '../wallets', '']) {
            const otherAccount = testContext();
            const named = { wallet_id: walletId, password };
            await refuses('not_found', wallets.open(named, otherAccount));
            await refuses('not_found', wallets.addCredential({ ...named, credential }, otherAccount));
            await refuses('not_found', wallets.listCredentials({ ...named, ...page }, otherAccount));
            await refuses('not_found', wallets.deleteCredential({ ...named, credential_id }, otherAccount));
        }
    }
    assert.equal((await wallets.listCredentials({ ...access, ...page }, context)).total, 1);
});

test('a trusted caller that acts for no account creates ownerless wallets, and opens any by its password', async () => {
    const nobodys = await newWallet(internalContext());
    await wallets.open(nobodys.access, internalContext());
    await refuses('not_found', wallets.open(nobodys.access, testContext()));
    await refuses('not_found', wallets.open(nobodys.access, testContext({ trusted: true })));
    const owned = await newWallet();
    await wallets.open(owned.access, internalContext());
    await refuses('unauthenticated', wallets.open({ ...owned.access, password: 'wrong' }, internalContext()));
});

test('sealed data that was moved to another wallet or record does not open', async () => {
    const [one, two] = [await newWallet(), await newWallet()];
    const first = await issue(services, issuer);
    const second = await issue(services, issuer);
    for (const { credential } of [first, second])
        await wallets.addCredential({ ...one.access, credential }, one.context);
    const uuids = [first, second].map(({ credential_id }) => credential_id.slice('urn:uuid:'.length));

    await db.rows(sql.unsafe`
        UPDATE wallet.credentials AS here SET sealed = there.sealed FROM wallet.credentials AS there
        WHERE here.credential = ${uuids[0] ?? ''} AND there.credential = ${uuids[1] ?? ''}`);
    await refuses('internal', wallets.open(one.access, one.context));

    await db.rows(sql.unsafe`
        UPDATE wallet.wallets AS here
        SET (salt, memory_kib, passes, data_key, private_key, profile) =
            (there.salt, there.memory_kib, there.passes, there.data_key, there.private_key, there.profile)
        FROM wallet.wallets AS there
        WHERE here.id = ${two.access.wallet_id} AND there.id = ${one.access.wallet_id}`);
    await refuses('unauthenticated', wallets.open(two.access, two.context));

    const three = await newWallet();
    await db.rows(sql.unsafe`UPDATE wallet.wallets SET private_key = profile WHERE id = ${three.access.wallet_id}`);
    await refuses('internal', wallets.open(three.access, three.context));
});

test('a wallet opens at the password cost that it was created with, and from then on at the current cost', async () => {
    const today = { memory_kib: 128, passes: 2 };
    const dear = open(today);
    const { made, access, context } = await newWallet();
    const lockOf = async () => {
        const [row] = await db.rows(
            sql.type(
                z.strictObject({ memory_kib: z.number(), passes: z.number(), salt: z.instanceof(Buffer) }),
            )`SELECT memory_kib, passes, salt FROM wallet.wallets WHERE id = ${access.wallet_id}`,
        );
        return row;
    };
    const before = await lockOf();
    await refuses('unauthenticated', dear.open({ ...access, password: 'wrong' }, context));
    assert.deepEqual(await lockOf(), before);
    const opened = await Promise.all(Array.from({ length: 5 }, () => dear.open(access, context)));
    for (const { wallet } of opened) assert.deepEqual(wallet, made);
    const after = await lockOf();
    assert.deepEqual(after && { memory_kib: after.memory_kib, passes: after.passes }, today);
    assert.notDeepEqual(after?.salt, before?.salt);
    await refuses('unauthenticated', dear.open({ ...access, password: 'wrong' }, context));
    await dear.open(access, context);
    assert.deepEqual(await lockOf(), after);
});

test('a wallet with an excessive stored password cost is refused', async () => {
    const { access, context } = await newWallet();
    await db.rows(sql.unsafe`UPDATE wallet.wallets SET memory_kib = 2000000000 WHERE id = ${access.wallet_id}`);
    await refuses('internal', wallets.open(access, context));
});

test('no wallet is created if its DID cannot be recorded', async () => {
    const context = testContext();
    const unreachable = {
        ...did,
        recordForWallet: async () => {
            throw new AppError('unavailable', 'The did service cannot be reached.', { reason: 'service did' });
        },
    };
    await refuses(
        'unavailable',
        open(CHEAP, { did: unreachable, signing }).create({ name: 'wallet', password: 'x' }, context),
    );
    assert.equal(await counted(db, context.user_id ?? null, 'wallets'), 0);
});
