import { AppError } from '../../platform/errors.ts';
import { SealedCredential, SealedProfile } from '../../proto/gen/wallet/v1/wallet.ts';
import { type KeyPair, keyPairFrom } from '../../workers/crypto/ed25519.ts';
import { seal, unseal } from '../../workers/crypto/seal.ts';
import type { EntryRow, WalletRow } from './store.ts';

/** The names of a wallet's records; each credential's is its UUID. */
const DATA_KEY = 'data_key';
const PRIVATE_KEY = 'private_key';
const PROFILE = 'profile';

export function sealDataKey(data_key: Uint8Array, password_key: Uint8Array, wallet: string): Buffer {
    return seal(data_key, password_key, { wallet, record: DATA_KEY });
}

/** The wallet's data key; undefined for the key of another password. */
export function openDataKey({ id, data_key }: WalletRow, password_key: Uint8Array): Buffer | undefined {
    return unseal(data_key, password_key, { wallet: id, record: DATA_KEY });
}

/** What a wallet's row contains besides the data key. */
export function sealWallet(
    { pair, profile }: { pair: KeyPair; profile: SealedProfile },
    data_key: Uint8Array,
    wallet: string,
): Pick<WalletRow, 'private_key' | 'profile'> {
    return {
        private_key: seal(pair.seed, data_key, { wallet, record: PRIVATE_KEY }),
        profile: seal(SealedProfile.encode(profile).finish(), data_key, { wallet, record: PROFILE }),
    };
}

/** The caller must wipe the pair's seed. */
export function openWallet(row: WalletRow, data_key: Uint8Array): { pair: KeyPair; profile: SealedProfile } {
    const pair = keyPairFrom(opened(unseal(row.private_key, data_key, { wallet: row.id, record: PRIVATE_KEY })));
    const profile = opened(unseal(row.profile, data_key, { wallet: row.id, record: PROFILE }));
    return { pair: opened(pair), profile: SealedProfile.decode(profile) };
}

export function sealCredential(
    content: SealedCredential,
    data_key: Uint8Array,
    { wallet, credential }: { wallet: string; credential: string },
): Buffer {
    return seal(SealedCredential.encode(content).finish(), data_key, { wallet, record: credential });
}

export function openCredential(row: EntryRow, data_key: Uint8Array, wallet: string): SealedCredential {
    return SealedCredential.decode(opened(unseal(row.sealed, data_key, { wallet, record: row.credential })));
}

/** With the right data key, a record that does not open is not the one that was written there. */
function opened<Content>(content: Content | undefined): Content {
    if (content === undefined) throw new AppError('internal', 'A record of this wallet cannot be opened.');
    return content;
}
