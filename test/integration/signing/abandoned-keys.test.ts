import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { withIdempotencyKey } from '../../../platform/context.ts';
import { sql } from '../../../platform/postgres/db.ts';
import { abandonStore } from '../../../services/signing/key-encryption/abandon.store.ts';
import { abandon } from '../../../services/signing/key-encryption/abandon.ts';
import { NotRewrapped } from '../../../services/signing/key-encryption/rewrap.ts';
import { refuses } from '../credentials/credentials.fixture.ts';
import { encryptionOf, startTwoKeks, trustedContext } from './lost-kek.fixture.ts';
import { newIssuer } from './signing.fixture.ts';

const { db, open, signing, other, oldKek, newKek, oldName, vault, vaultEncryption, startCheck } = await startTwoKeks();
const payload = '{"a":1}';

/** Gives up what `named` names, as a process with the new key-encryption key does. Returns what it prints. */
async function abandoned(named: string, keys = encryptionOf(newKek)): Promise<string[]> {
    const lines: string[] = [];
    const print = (line: string) => lines.push(line);
    await abandon(named, { store: abandonStore(db), keys, print, abandonLists: async () => 7 });
    return lines;
}

describe('giving up a lost key-encryption key', () => {
    it('archives each did:key, and lets each did:web go on after a rotation', async () => {
        const key = await newIssuer(signing, 'key');
        const web = await newIssuer(signing, 'web', key.context);
        const spared = await newIssuer(other, 'key');
        assert.deepEqual((await abandoned(oldName)).sort(), [
            'data keys given up: 1, kept because they can be unwrapped: 0',
            `${key.did} of account ${key.context.user_id}: archived`,
            `${web.did} of account ${key.context.user_id}: its owner must rotate its EdDSA key`,
        ]);
        await refuses('conflict', other.sign({ did: key.did, payload }, key.context));
        await refuses('conflict', other.sign({ did: web.did, payload }, key.context));
        const { key: made, previous } = await other.rotateKey({ issuer_id: web.issuer_id }, key.context);
        assert.equal(previous, undefined);
        assert.equal((await other.sign({ did: web.did, payload }, key.context)).kid, made?.kid);
        await other.sign({ did: spared.did, payload }, spared.context);
    });

    it('lets the account create an issuer again', async () => {
        const { context } = await newIssuer(signing, 'key');
        await abandoned(oldName);
        const { did } = await newIssuer(other, 'key', context);
        await other.sign({ did, payload }, context);
    });

    it('keeps what the lost keys have signed valid, and signs none of it again', async () => {
        const { did, kid, context } = await newIssuer(signing, 'web');
        await abandoned(oldName);
        const { issuers } = await other.getKeys({ dids: [did] }, context);
        assert.deepEqual(issuers, [{ did, kids: [kid], compromised_kids: [], list_kid: undefined }]);
        await refuses('conflict', other.sign({ did, payload, kid }, context));
    });

    it('lets the service sign status lists with another key', async () => {
        const trusted = trustedContext();
        const before = await signing.getStatusKey({}, trusted);
        const lines = await abandoned(oldName);
        assert.equal(lines[0], `${before.did} of the service itself: archived, with its status lists: 7`);
        const { did } = await other.getStatusKey({}, trusted);
        assert.notEqual(did, before.did);
        await other.signStatusList({ payload: JSON.stringify({ iss: did }) }, trusted);
        await refuses('invalid', other.signStatusList({ payload: JSON.stringify({ iss: before.did }) }, trusted));
    });

    it('makes the process ready', async () => {
        await newIssuer(signing, 'key');
        const { check, missing } = startCheck();
        await assert.rejects(check());
        await abandoned(oldName);
        await check();
        assert.equal(await missing(), '0');
    });

    it('gives up nothing that can be unwrapped', async () => {
        const { did, context } = await newIssuer(signing, 'key');
        const lines = await abandoned(oldName, encryptionOf(`${newKek},${oldKek}`));
        assert.deepEqual(lines, ['data keys given up: 0, kept because they can be unwrapped: 1']);
        await open().sign({ did, payload }, context);
        await assert.rejects(abandoned('kek-0000000000000000'), NotRewrapped);
    });

    it('stops if the provider does not answer', async () => {
        vault.mood = 500;
        await newIssuer(signing, 'key');
        await db.rows(sql.unsafe`UPDATE signing.data_keys SET kek = 'vault:transit/kek'`);
        await assert.rejects(abandoned('vault:transit/kek', vaultEncryption()), /cannot be used now/);
        const rows = await db.rows(sql.unsafe`SELECT 1 FROM signing.data_keys WHERE abandoned_at IS NOT NULL`);
        assert.equal(rows.length, 0);
    });

    it('can give up a single data key that was changed, and spares those of other accounts', async () => {
        const [broken, whole] = [await newIssuer(other, 'key'), await newIssuer(other, 'key')];
        const [row] = await db.rows(sql.type(z.strictObject({ id: z.string() }))`
            UPDATE signing.data_keys SET wrapped = set_byte(wrapped, 20, get_byte(wrapped, 20) # 1)
            WHERE account = ${broken.context.user_id ?? null} RETURNING id`);
        const process = open({ kek: newKek });
        await refuses('internal', process.sign({ did: broken.did, payload }, broken.context));
        await process.sign({ did: whole.did, payload }, whole.context);
        assert.match((await abandoned(row?.id ?? '')).join(), /: archived,data keys given up: 1/);
        await newIssuer(process, 'key', broken.context);
        await process.sign({ did: whole.did, payload }, whole.context);
    });
});

it('a repeated rotation is answered although the key that it made is lost by now', async () => {
    const { issuer_id, context } = await newIssuer(signing, 'web');
    const rotate = (service: typeof signing) =>
        service.rotateKey({ issuer_id }, withIdempotencyKey(context, 'rotation-before-the-loss'));
    const first = await rotate(signing);
    await abandoned(oldName);
    assert.deepEqual(await rotate(other), first);
});
