import { AppError } from '../../platform/errors.ts';
import { SealedCredential, SealedProfile } from '../../proto/gen/wallet/v1/wallet.ts';
import { type KeyPair, keyPairFrom } from '../../workers/crypto/ed25519.ts';
import { seal, unseal } from '../../workers/crypto/seal.ts';
import type { EntryRow, WalletRow } from './rows.ts';

/** The names of a wallet's records. The name of a credential's record is the credential's UUID. */
const DATA_KEY = 'data_key';
const PRIVATE_KEY = 'private_key';
const PROFILE = 'profile';

export function sealDataKey(dataKey: Uint8Array, passwordKey: Uint8Array, wallet: string): Buffer {
    return seal(dataKey, passwordKey, { wallet, record: DATA_KEY });
}

/** Returns the wallet's data key; undefined if `passwordKey` belongs to another password. */
export function openDataKey({ id, data_key }: WalletRow, passwordKey: Uint8Array): Buffer | undefined {
    return unseal(data_key, passwordKey, { wallet: id, record: DATA_KEY });
}

/** Returns the sealed columns of a wallet's row, without the data key. */
export function sealWallet(
    { pair, profile }: { pair: KeyPair; profile: SealedProfile },
    dataKey: Uint8Array,
    wallet: string,
): Pick<WalletRow, 'private_key' | 'profile'> {
    return {
        private_key: seal(pair.seed, dataKey, { wallet, record: PRIVATE_KEY }),
        profile: seal(SealedProfile.encode(profile).finish(), dataKey, { wallet, record: PROFILE }),
    };
}

/** Opens the key pair and the profile of a wallet. The caller must wipe the pair's seed. */
export function openWallet(row: WalletRow, dataKey: Uint8Array): { pair: KeyPair; profile: SealedProfile } {
    const pair = keyPairFrom(opened(unseal(row.private_key, dataKey, { wallet: row.id, record: PRIVATE_KEY })));
    const profile = opened(unseal(row.profile, dataKey, { wallet: row.id, record: PROFILE }));
    return { pair: opened(pair), profile: SealedProfile.decode(profile) };
}

export function sealCredential(
    content: SealedCredential,
    dataKey: Uint8Array,
    { wallet, credential }: { wallet: string; credential: string },
): Buffer {
    return seal(SealedCredential.encode(content).finish(), dataKey, { wallet, record: credential });
}

export function openCredential(row: EntryRow, dataKey: Uint8Array, wallet: string): SealedCredential {
    return SealedCredential.decode(opened(unseal(row.sealed, dataKey, { wallet, record: row.credential })));
}

/** The data key is right. So a record that cannot be opened is not the one that was written in this place. */
function opened<Content>(content: Content | undefined): Content {
    if (content === undefined) throw new AppError('internal', 'A record of this wallet cannot be opened.');
    return content;
}
