import type { AbandonedIssuer, AbandonStore } from './abandon.store.ts';
import type { KeyEncryption } from './key-encryption.ts';
import { pages } from './pages.ts';
import type { StoredDataKey } from './rewrap.store.ts';
import { NotRewrapped, unreadable } from './rewrap.ts';

/**
 * Gives up the data keys that the key-encryption key of this name wraps, or the data key of this id, unless they can be
 * unwrapped. Issuers whose key was sealed with them cannot sign any more: a did:key is archived, and a did:web signs again
 * after its owner has rotated its key. What they have signed stays valid. The accounts get new data keys when they need
 * them.
 */
export async function abandon(
    named: string,
    {
        store,
        keys,
        print,
        abandonLists,
    }: {
        store: AbandonStore;
        keys: KeyEncryption;
        print(line: string): void;
        /** Gives up the status lists that a DID has signed. Returns how many they are. */
        abandonLists(issuerDid: string): Promise<number>;
    },
): Promise<void> {
    let [abandoned, kept] = [0, 0];
    for await (const page of pages((range) => store.page(named, range))) {
        const lost: string[] = [];
        for (const row of page) if (await isLost(row, keys)) lost.push(row.id);
        // The lists may be in another database. They come first: if a run ends before it gives up the data keys, the next
        // one finds these again.
        const lists = new Map<string, number>();
        for (const did of await store.listSigners(lost)) lists.set(did, await abandonLists(did));
        const issuers = await store.abandon(lost, new Date().toISOString());
        for (const issuer of issuers) print(described(issuer, lists.get(issuer.did) ?? 0));
        abandoned += lost.length;
        kept += page.length - lost.length;
    }
    print(`data keys given up: ${abandoned}, kept because they can be unwrapped: ${kept}`);
    if (abandoned + kept === 0) throw new NotRewrapped(`No data key is wrapped with ${named}, or has this id.`);
}

async function isLost(row: StoredDataKey, keys: KeyEncryption): Promise<boolean> {
    try {
        (await keys.unwrap(row, row.account)).fill(0);
        return false;
    } catch (error) {
        if (unreadable(error)) return true;
        throw error;
    }
}

function described({ account, did, method, alg }: AbandonedIssuer, lists: number): string {
    if (account === null) return `${did} of the service itself: archived, with its status lists: ${lists}`;
    return `${did} of account ${account}: ${method === 'key' ? 'archived' : `its owner must rotate its ${alg} key`}`;
}
