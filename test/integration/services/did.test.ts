import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { sql } from '../../../platform/postgres/db.ts';
import { decodeDidKey } from '../../../tokens/did-key.ts';
import { encodeDidKey } from '../../../workers/crypto/did-key.ts';
import { generateKeyPair, keyPairFrom } from '../../../workers/crypto/ed25519.ts';
import { testContext } from '../../support/harness.ts';
import { counted, internalContext, newParty, refuses, startServices } from '../credentials/credentials.fixture.ts';

const { db, did } = await startServices();

async function rowsOf(text: string): Promise<number> {
    return (await db.rows(sql.unsafe`SELECT 1 FROM did.dids WHERE did = ${text}`)).length;
}

test('create without a public key makes a key pair, returns it once, and makes the account its owner', async () => {
    const context = testContext();
    const created = await did.create({}, context);
    const pair = keyPairFrom(created.private_key ?? new Uint8Array());
    assert.equal(created.private_key?.length, 64);
    assert.deepEqual(pair?.public_key, new Uint8Array(created.public_key));
    assert.deepEqual(decodeDidKey(created.did), pair?.public_key);
    assert.deepEqual(await did.filterOwned({ dids: [created.did] }, context), { dids: [created.did] });
    assert.equal(await counted(db, context.user_id ?? null, 'dids_created'), 1);
});

test('the DID of a wallet belongs to the account, resolves, and does not count as a created DID', async () => {
    const context = testContext();
    const { public_key } = generateKeyPair();
    const { did: text } = await did.recordForWallet({ public_key }, context);
    assert.equal(text, encodeDidKey(public_key));
    assert.deepEqual(await did.recordForWallet({ public_key }, context), { did: text });
    assert.deepEqual(await did.filterOwned({ dids: [text] }, context), { dids: [text] });
    assert.equal((await did.resolve({ did: text, derive: false }, testContext())).did, text);
    assert.equal(await counted(db, context.user_id ?? null, 'dids_created'), 0);
    await refuses('invalid', did.recordForWallet({ public_key: new Uint8Array(31) }, context));
});

test('a public key that is registered several times is one row and counts once, for the first account', async () => {
    const [first, second] = [testContext(), testContext()];
    const { public_key } = generateKeyPair();
    for (const context of [first, first, second]) {
        const created = await did.create({ public_key }, context);
        assert.equal(created.did, encodeDidKey(public_key));
        assert.equal(created.private_key, undefined);
    }
    assert.equal(await rowsOf(encodeDidKey(public_key)), 1);
    assert.equal(await counted(db, first.user_id ?? null, 'dids_created'), 1);
    assert.equal(await counted(db, second.user_id ?? null, 'dids_created'), 0);
});

test('registering a public key gives no rights to its DID, whether the DID is new or was generated', async () => {
    const owner = await newParty(did);
    const otherContext = testContext();
    const { public_key } = generateKeyPair();
    await did.create({ public_key }, otherContext);
    await did.create({ public_key: decodeDidKey(owner.did) }, otherContext);
    const dids = [encodeDidKey(public_key), owner.did];
    assert.deepEqual((await did.filterOwned({ dids }, otherContext)).dids, []);
    assert.deepEqual((await did.filterOwned({ dids }, owner.context)).dids, [owner.did]);
});

test('a public key of another length, of small order or not canonical is refused and stores nothing', async () => {
    const context = testContext();
    const p = Buffer.from(`ed${'ff'.repeat(30)}7f`, 'hex'); // the prime 2^255 - 19, which reads as 0
    const one = Buffer.alloc(32, 0).fill(1, 0, 1);
    const second = Buffer.from(`f0${'ff'.repeat(31)}`, 'hex'); // p + 3, with the sign bit
    for (const publicKey of [new Uint8Array(0), randomBytes(31), randomBytes(33), Buffer.alloc(32), one, p, second]) {
        await refuses('invalid', did.create({ public_key: publicKey }, context));
        await refuses('invalid', did.recordForWallet({ public_key: publicKey }, context));
    }
    assert.equal(await counted(db, context.user_id ?? null, 'dids_created'), 0);
});

test('32 bytes that are no point of the curve are accepted as a public key', async () => {
    const publicKey = Buffer.alloc(32).fill(2, 0, 1); // y = 2 has no x
    const created = await did.create({ public_key: publicKey }, testContext());
    assert.deepEqual(new Uint8Array(created.public_key), new Uint8Array(publicKey));
});

test('any caller can resolve any known DID', async () => {
    const owner = await newParty(did);
    for (const context of [owner.context, testContext(), internalContext()]) {
        const resolved = await did.resolve({ did: owner.did, derive: false }, context);
        assert.deepEqual(new Uint8Array(resolved.public_key), decodeDidKey(owner.did));
    }
});

test('an unknown DID is not found, unless the caller asks to derive it', async () => {
    const unknown = encodeDidKey(generateKeyPair().public_key);
    await refuses('not_found', did.resolve({ did: unknown, derive: false }, testContext()));
    const derived = await did.resolve({ did: unknown, derive: true }, testContext());
    assert.deepEqual(new Uint8Array(derived.public_key), decodeDidKey(unknown));
    assert.equal(await rowsOf(unknown), 0);
});

test('only a well-formed Ed25519 did:key resolves, whether it is derived or not', async () => {
    const known = (await newParty(did)).did;
    const x25519 = 'did:key:z6LSeu9HkTHSfLLeUs2nnzUSNedgDUevfNQgQjQC23ZCit6F';
    const malformed = ['', 'did:key:', 'did:key:z', 'did:web:example.com', x25519, known.toUpperCase(), `${known}#key`];
    malformed.push(`${known}?service=x`, ` ${known}`, known.slice(0, -1), known.replace('z6Mk', 'z16Mk'));
    malformed.push(known.replace('did:key:', 'did:key:1:'), `${known.slice(0, -1)}0`);
    for (const text of malformed) {
        for (const derive of [false, true]) await refuses('invalid', did.resolve({ did: text, derive }, testContext()));
    }
});

test('a DID that is created for no account has no owner and counts only for the platform', async () => {
    const unowned = await counted(db, null, 'dids_created');
    const created = await did.create({}, internalContext());
    assert.equal(await counted(db, null, 'dids_created'), unowned + 1);
    assert.deepEqual((await did.filterOwned({ dids: [created.did] }, testContext())).dids, []);
    await refuses('unauthenticated', did.filterOwned({ dids: [created.did] }, internalContext()));
});

test('fifty concurrent calls create fifty DIDs and count as fifty', async () => {
    const context = testContext();
    const created = await Promise.all(Array.from({ length: 50 }, () => did.create({}, context)));
    const dids = created.map((one) => one.did);
    assert.equal(new Set(dids).size, 50);
    assert.deepEqual(new Set((await did.filterOwned({ dids }, context)).dids), new Set(dids));
    assert.equal(await counted(db, context.user_id ?? null, 'dids_created'), 50);
});

test('ownership queries of one batch are each answered for their own account', async () => {
    const owners = await Promise.all(Array.from({ length: 20 }, () => newParty(did)));
    const all = owners.map((owner) => owner.did);
    const answers = await Promise.all([
        ...owners.map(({ context }) => did.filterOwned({ dids: all }, context)),
        did.filterOwned({ dids: all }, testContext()),
        did.filterOwned({ dids: ['did:web:nobody.example'] }, testContext()),
    ]);
    const owned = answers.map(({ dids }) => dids);
    assert.deepEqual(owned, [...all.map((one) => [one]), [], []]);
});
