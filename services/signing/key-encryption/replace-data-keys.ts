import { setTimeout as delay } from 'node:timers/promises';
import { LONGEST_OF_ACCOUNT_MS, ownContext } from '../../../platform/context.ts';
import { newId } from '../../../platform/ids.ts';
import { ConfigError } from '../../../platform/process/config.ts';
import { newKey } from '../../../workers/crypto/seal.ts';
import { wipeSecret } from '../../../workers/crypto/secure-memory.ts';
import { mapInFlight } from '../../map-in-flight.ts';
import { type Binding, reseal } from '../data-keys.ts';
import type { KeyEncryption } from './key-encryption.ts';
import { pages } from './pages.ts';
import { RECORD_KINDS, type RecordKind, type ReplacementStore, type SealedRecord } from './replacement.store.ts';
import type { StoredDataKey } from './rewrap.store.ts';
import { causeOf, KEYS_IN_FLIGHT, NotRewrapped, unreadable } from './rewrap.ts';

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
    let seen = 0;
    for await (const page of pages((range) => store.page(before, range))) {
        await mapInFlight(page, KEYS_IN_FLIGHT, work, ownContext());
        seen += page.length;
        print(`${seen} data keys read`);
    }
}

/** Seals with a new data key what this one seals. Resolves to false if some of it could not be opened. */
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
    let isComplete = true;
    for (const kind of RECORD_KINDS) {
        for await (const page of pages((range) => store.sealedWith(row.id, kind, range))) {
            for (const record of page) {
                const sealed = reseal(record.sealed, { from: old, to: fresh.key }, bindingOf(kind, record, row));
                if (sealed) await store.reseal(kind, { id: record.id, sealed, data_key: fresh.id }, row.id);
                else print(`${kind} ${record.id}: it was changed or moved`);
                isComplete &&= sealed !== undefined;
            }
        }
    }
    wipeSecret(old);
    wipeSecret(fresh.key);
    return isComplete;
}

function bindingOf(kind: RecordKind, { id, owner }: SealedRecord, { account }: StoredDataKey): Binding {
    if (kind === 'key') return { account, issuer: owner, kid: id };
    if (account === null) throw new Error('the service itself has no webhooks');
    return { account, webhook: owner, secret: id };
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
