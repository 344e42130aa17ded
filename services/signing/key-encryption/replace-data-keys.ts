import { setTimeout as delay } from 'node:timers/promises';
import { LONGEST_OF_ACCOUNT_MS, ownContext } from '../../../platform/context.ts';
import { NIL_ID, newId } from '../../../platform/ids.ts';
import { ConfigError } from '../../../platform/process/config.ts';
import { newKey } from '../../../workers/crypto/seal.ts';
import { wipeSecret } from '../../../workers/crypto/secure-memory.ts';
import { mapInFlight } from '../../map-in-flight.ts';
import { openSecretKey, resealSecret, sealSecretKey } from '../data-keys.ts';
import type { KeyEncryption } from './key-encryption.ts';
import type { ReplacementStore } from './replacement.store.ts';
import type { StoredDataKey } from './rewrap.store.ts';
import { BATCH_ROWS, causeOf, KEYS_IN_FLIGHT, NotRewrapped, unreadable } from './rewrap.ts';

/**
 * Longer than any call of an account that seals or opens a key, in milliseconds. Such a call may still use the old data
 * key. If another call takes longer and does, the old data key is kept, and the command says so.
 */
const CALLS_END_MS = LONGEST_OF_ACCOUNT_MS + 1_000;

interface Dependencies {
    store: ReplacementStore;
    keys: KeyEncryption;
    print(line: string): void;
    /** Resolves when all calls have ended that run now. */
    callsEnd?(): Promise<unknown>;
}

/**
 * Replaces the data keys that were made before a time: each account gets a new one, which seals all of its signing keys
 * and all later ones. So somebody who has taken the old data keys can open no key that is made from now on. Services may
 * run meanwhile. It may be interrupted and run again with the same time. Throws ConfigError or NotRewrapped.
 */
export async function replaceDataKeys(before: string, dependencies: Dependencies): Promise<void> {
    const { store, print, callsEnd = () => delay(CALLS_END_MS) } = dependencies;
    if (!(await store.isOver(before))) throw new ConfigError('--replace-before must be in the past.');
    await eachOldKey(before, dependencies, (row) => replaceOne(row, before, dependencies));
    print('Waiting for calls that still use the old data keys.');
    await callsEnd();
    await eachOldKey(before, dependencies, async (row) => {
        if (await replaceOne(row, before, dependencies)) await store.remove(row.id);
    });
    const left = await store.count(before);
    print(`${left} data keys from before ${before} are left`);
    if (left > 0)
        throw new NotRewrapped('The lines above say why data keys are left. Run this again with the same time.');
}

async function eachOldKey(
    before: string,
    { store, print }: Dependencies,
    work: (row: StoredDataKey) => Promise<unknown>,
): Promise<void> {
    let [after, seen] = [NIL_ID, 0];
    for (;;) {
        const page = await store.page({ before, after, limit: BATCH_ROWS });
        const last = page.at(-1);
        if (!last) return;
        await mapInFlight(page, KEYS_IN_FLIGHT, work, ownContext());
        after = last.id;
        seen += page.length;
        print(`${seen} data keys read`);
    }
}

/** Seals all keys of a data key with a new one. Resolves to false if some could not be opened. */
async function replaceOne(row: StoredDataKey, before: string, { store, keys, print }: Dependencies): Promise<boolean> {
    let old: Buffer;
    try {
        old = await keys.unwrap(row, row.account);
    } catch (error) {
        if (!unreadable(error)) throw error;
        print(`data key ${row.id}: ${causeOf(error)}`);
        return false;
    }
    const fresh = await freshKey(row.account, before, { store, keys });
    const areSecretsComplete = await resealSecrets(row, { old, fresh }, { store, print });
    let [after, isComplete] = ['', true];
    for (;;) {
        const page = await store.keysOf(row.id, { after, limit: BATCH_ROWS });
        const last = page.at(-1);
        if (!last) break;
        for (const { kid, issuer, sealed } of page) {
            const binding = { account: row.account, issuer, kid };
            const secretKey = openSecretKey(sealed, old, binding);
            if (secretKey) {
                await store.reseal(
                    { kid, sealed: sealSecretKey(secretKey, fresh.key, binding), data_key: fresh.id },
                    row.id,
                );
                wipeSecret(secretKey);
            } else {
                print(`key ${kid}: it was changed or moved`);
                isComplete = false;
            }
        }
        after = last.kid;
    }
    wipeSecret(old);
    wipeSecret(fresh.key);
    return isComplete && areSecretsComplete;
}

/** Seals the secrets of webhooks with a new data key. Resolves to false if some could not be opened. */
async function resealSecrets(
    { id: dataKey }: StoredDataKey,
    { old, fresh }: { old: Buffer; fresh: { id: string; key: Buffer } },
    { store, print }: Pick<Dependencies, 'store' | 'print'>,
): Promise<boolean> {
    let [after, isComplete] = [NIL_ID, true];
    for (;;) {
        const page = await store.secretsOf(dataKey, { after, limit: BATCH_ROWS });
        const last = page.at(-1);
        if (!last) return isComplete;
        for (const { id, webhook, account, sealed } of page) {
            const again = resealSecret(sealed, { from: old, to: fresh.key }, { account, webhook, secret: id });
            if (again) {
                await store.resealSecret({ id, sealed: again, data_key: fresh.id }, dataKey);
            } else {
                print(`secret ${id}: it was changed or moved`);
                isComplete = false;
            }
        }
        after = last.id;
    }
}

/** Returns the account's data key from after this time. Makes one if there is none. */
async function freshKey(
    account: string | null,
    before: string,
    { store, keys }: Pick<Dependencies, 'store' | 'keys'>,
): Promise<{ id: string; key: Buffer }> {
    const known = await store.findSince(before, account);
    if (known) return { id: known.id, key: await keys.unwrap(known, account) };
    const key = newKey();
    const id = newId(Date.now());
    await store.insert({ id, account, ...(await keys.wrap(key, account)) });
    return { id, key };
}
