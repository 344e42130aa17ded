import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { beforeEach, describe, it } from 'node:test';
import { z } from 'zod';
import { AppError } from '../../../../platform/errors.ts';
import { newId } from '../../../../platform/ids.ts';
import { sql } from '../../../../platform/postgres/db.ts';
import { loadConfig } from '../../../../platform/process/config.ts';
import { createMetrics } from '../../../../platform/telemetry/metrics.ts';
import {
    type Account,
    type KeyEncryption,
    keyEncryption,
} from '../../../../services/signing/key-encryption/key-encryption.ts';
import { type RewrapStore, rewrapStore } from '../../../../services/signing/key-encryption/rewrap.store.ts';
import { NotRewrapped, rewrapAll } from '../../../../services/signing/key-encryption/rewrap.ts';
import { rewrap } from '../../../../services/signing/key-encryption/rewrap-command.ts';
import { testDatabase } from '../../../support/harness.ts';

const { db, url } = await testDatabase();
const store = rewrapStore(db);

const OLD_KEK = randomBytes(32).toString('base64');
const NEW_KEK = randomBytes(32).toString('base64');
const oldKeys = keysOf(OLD_KEK);
const newKeys = keysOf(`${NEW_KEK},${OLD_KEK}`);
const onlyNewKeys = keysOf(NEW_KEK);

function keysOf(kek: string): KeyEncryption {
    return keyEncryption({ config: loadConfig({ KEK: kek }), metrics: createMetrics() });
}

interface Added {
    id: string;
    account: Account;
    dataKey: Buffer;
}

/** Adds a data key, as the service does for the first issuer of an account. */
async function add(keys: KeyEncryption, account: Account = newId(Date.now())): Promise<Added> {
    const dataKey = randomBytes(32);
    const id = newId(Date.now());
    const { kek, wrapped } = await keys.wrap(dataKey, account);
    await db.rows(sql.unsafe`
        INSERT INTO signing.data_keys (id, account, kek, wrapped, created_at)
        VALUES (${id}, ${account}, ${kek}, ${sql.binary(wrapped)}, now())`);
    return { id, account, dataKey };
}

async function addMany(count: number): Promise<Added[]> {
    const added: Added[] = [];
    while (added.length < count) added.push(await add(oldKeys));
    return added;
}

async function read(id: string): Promise<{ kek: string; wrapped: Buffer }> {
    const [row] = await db.rows(
        sql.type(
            z.strictObject({ kek: z.string(), wrapped: z.instanceof(Buffer) }),
        )`SELECT kek, wrapped FROM signing.data_keys WHERE id = ${id}`,
    );
    assert.ok(row);
    return row;
}

/** Expects that the new key-encryption key alone unwraps every data key. */
async function assertRewrapped(all: readonly Added[]): Promise<void> {
    for (const { id, account, dataKey } of all)
        assert.deepEqual(await onlyNewKeys.unwrap(await read(id), account), dataKey);
    assert.equal(await store.count(onlyNewKeys.current), 0);
}

/** Runs rewrapAll and returns what it printed, with the message of its error. */
async function printed(own: RewrapStore = store, keys = newKeys): Promise<string[]> {
    const lines: string[] = [];
    await rewrapAll({ store: own, keys, print: (line) => lines.push(line) }).catch((error) => {
        if (!(error instanceof NotRewrapped)) throw error;
        lines.push(error.message);
    });
    return lines;
}

describe('rewrapping data keys', () => {
    beforeEach(async () => {
        await db.rows(sql.unsafe`DELETE FROM signing.data_keys`);
    });

    it('wraps every data key with the current key-encryption key, in several batches', async () => {
        const all = [...(await addMany(1_100)), await add(oldKeys, null), await add(newKeys)];
        const lines = await printed();
        assert.deepEqual(lines, [
            '500 rewrapped, 0 failed',
            '1000 rewrapped, 0 failed',
            '1101 rewrapped, 0 failed',
            `1101 rewrapped with ${newKeys.current}, 0 left`,
        ]);
        await assertRewrapped(all);
        assert.deepEqual(await printed(), [`0 rewrapped with ${newKeys.current}, 0 left`]);
    });

    it('continues where an interrupted run has ended', async () => {
        const all = await addMany(20);
        let written = 0;
        const failing: RewrapStore = {
            ...store,
            replace: async (...args) => {
                if (++written > 10)
                    throw new AppError('unavailable', 'The connection is lost.', { reason: 'database' });
                return store.replace(...args);
            },
        };
        await assert.rejects(printed(failing), AppError);
        for (const { id, account, dataKey } of all)
            assert.deepEqual(await newKeys.unwrap(await read(id), account), dataKey);
        assert.deepEqual(await printed(), ['10 rewrapped, 0 failed', `10 rewrapped with ${newKeys.current}, 0 left`]);
        await assertRewrapped(all);
    });

    it('writes each data key once if two runs work at the same time', async () => {
        const all = await addMany(600);
        const counts = (await Promise.all([printed(), printed()])).map((lines) =>
            Number.parseInt(lines.at(-1) ?? '', 10),
        );
        assert.equal(
            counts.reduce((sum, count) => sum + count),
            600,
        );
        await assertRewrapped(all);
    });

    it('does not touch a data key that has changed since it was read', async () => {
        const { id } = await add(oldKeys);
        const [row] = await store.page(newKeys.current, { after: id.replace(/.{4}$/, '0000'), limit: 1 });
        assert.ok(row);
        const changed = { ...row, wrapped: randomBytes(61) };
        assert.equal(await store.replace(changed, { kek: 'other', wrapped: randomBytes(61) }), false);
        assert.equal(await store.replace({ ...row, kek: 'old' }, { kek: 'other', wrapped: randomBytes(61) }), false);
        assert.deepEqual(await read(id), { kek: row.kek, wrapped: row.wrapped });
    });

    it('says what is left if services add data keys with the old key-encryption key meanwhile', async () => {
        const all = await addMany(5);
        const busy: RewrapStore = {
            ...store,
            page: async (current, range) => {
                const page = await store.page(current, range);
                if (page.length === 0) all.push(await add(oldKeys));
                return page;
            },
        };
        const lines = await printed(busy);
        assert.match(lines.at(-1) ?? '', /^Not all data keys are rewrapped.* run this again\.$/);
        await printed();
        await assertRewrapped(all);
    });

    it('rewraps all others if one was moved, changed or has an unknown key-encryption key, and fails', async () => {
        const good = await addMany(3);
        const [moved, changed, unknown] = [
            await add(oldKeys),
            await add(oldKeys),
            await add(keysOf(randomBytes(32).toString('base64'))),
        ];
        await db.rows(sql.unsafe`UPDATE signing.data_keys SET account = ${newId(Date.now())} WHERE id = ${moved.id}`);
        await db.rows(sql.unsafe`
            UPDATE signing.data_keys SET wrapped = set_byte(wrapped, 20, get_byte(wrapped, 20) # 1)
            WHERE id = ${changed.id}`);
        const before = await Promise.all([moved, changed, unknown].map(({ id }) => read(id)));
        const lines = await printed();
        assert.deepEqual(
            lines.slice(0, 3).sort(),
            [
                `data key ${moved.id}: the data key was changed, or belongs to another account`,
                `data key ${changed.id}: the data key was changed, or belongs to another account`,
                `data key ${unknown.id}: the key-encryption key ${before[2]?.kek} is not configured`,
            ].sort(),
        );
        assert.match(lines.at(-1) ?? '', /^Not all data keys are rewrapped.* cannot be unwrapped\.$/);
        for (const { id, account, dataKey } of good)
            assert.deepEqual(await onlyNewKeys.unwrap(await read(id), account), dataKey);
        assert.deepEqual(await Promise.all([moved, changed, unknown].map(({ id }) => read(id))), before);
    });

    it('stops with a plain sentence if the provider does not answer, and leaves everything as it is', async () => {
        const [{ id }] = (await addMany(1)) as [Added];
        const before = await read(id);
        const config = loadConfig({
            DATABASE_URL: url,
            KEK: OLD_KEK,
            KEK_PROVIDER: 'vault:transit/kek',
            VAULT_ADDR: 'http://127.0.0.1:1',
            VAULT_TOKEN: 's.token',
        });
        await assert.rejects(rewrap({ config, args: [], print: () => {}, abandonLists: async () => 0 }), (error) => {
            assert.ok(error instanceof NotRewrapped);
            assert.match(error.message, /^Interrupted: failed: \w+\. Run this again; it continues where it was\.$/);
            return true;
        });
        assert.deepEqual(await read(id), before);
    });

    it('leaves no key in the table or in what it prints', async () => {
        const all = [...(await addMany(3)), await add(keysOf(randomBytes(32).toString('base64')))];
        const lines = await printed();
        const [dump] = await db.rows(
            sql.type(
                z.strictObject({ text: z.string() }),
            )`SELECT string_agg(data_keys::text, ' ') AS text FROM signing.data_keys`,
        );
        const secrets = [
            ...all.map(({ dataKey }) => dataKey),
            ...[OLD_KEK, NEW_KEK].map((kek) => Buffer.from(kek, 'base64')),
        ];
        const text = `${dump?.text} ${lines.join(' ')}`;
        assert.ok(all.every(({ id }) => text.includes(id)));
        for (const secret of secrets) {
            for (const form of ['hex', 'base64', 'base64url'] as const)
                assert.ok(!text.includes(secret.toString(form)), 'a key is shown');
        }
    });
});
