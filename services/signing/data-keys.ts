import type { CallContext } from '../../platform/context.ts';
import { AppError } from '../../platform/errors.ts';
import { NIL_ID, newId } from '../../platform/ids.ts';
import { newKey, sealAs, unsealAs } from '../../workers/crypto/seal.ts';
import { moveToSecureMemory, wipeSecret } from '../../workers/crypto/secure-memory.ts';
import type { KeyEncryption } from './key-encryption/key-encryption.ts';
import type { DataKeyRow, SealedSecretKey, SigningStore } from './rows.ts';

/**
 * How long a process keeps an unwrapped data key, in milliseconds. Beyond it: it is wiped, and unwrapped again when it
 * is needed.
 */
const KEEP_MS = 600_000;
/** Maximum number of unwrapped data keys that a process keeps. Beyond it: the oldest one is wiped. */
const MAX_KEPT = 1_000;

/** What the secret key of an issuer is bound to. */
export interface SecretKeyBinding {
    /** NULL for the service itself. */
    account: string | null;
    /** The id of the issuer. */
    issuer: string;
    kid: string;
}

/** What the secret of a webhook is bound to. */
export interface WebhookSecretBinding {
    account: string;
    webhook: string;
    /** The id of the secret. */
    secret: string;
}

/** What sealed bytes are bound to. They open only with the same binding. */
export type Binding = SecretKeyBinding | WebhookSecretBinding;

/** What a data key seals. */
export type Sealed = Pick<SealedSecretKey, 'sealed' | 'data_key'>;

/** Seals and opens with the data keys of the accounts, which a key-encryption key wraps. */
export interface Seals {
    /** Seals the bytes and wipes them. The first call for an account creates its data key. */
    seal(plain: Uint8Array, binding: Binding, context: CallContext): Promise<Sealed>;
    /**
     * Returns the plain bytes. Throws AppError `unavailable` if the key-encryption key cannot be used now, `conflict` if the
     * data key was given up, and `internal` if the record was changed or moved.
     */
    open(sealed: Sealed, binding: Binding, context: CallContext): Promise<Buffer>;
}

const KEY_IS_LOST = 'The key that has signed this is lost, so it signs nothing again.';

interface DataKey {
    id: string;
    key: Buffer;
}

interface SealDependencies {
    store: SigningStore;
    encryption: KeyEncryption;
    clock: () => number;
}

export function seals(deps: SealDependencies): Seals {
    const keys = dataKeys(deps);

    return {
        async seal(plain, binding, context) {
            try {
                const { id, key } = await keys.ofAccount(binding.account, context);
                return { sealed: sealAs(plain, key, associatedData(binding)), data_key: id };
            } finally {
                wipeSecret(plain);
            }
        },
        async open({ sealed, data_key }, binding, context) {
            const key = await keys.find(data_key, context);
            const plain = key && unsealAs(sealed, key, associatedData(binding));
            if (!plain) throw new AppError('internal', 'A key of this account cannot be opened.');
            return plain;
        },
    };
}

/** The data keys of the accounts, unwrapped. */
function dataKeys({ store, encryption, clock }: SealDependencies) {
    const kept = keptKeys();
    const running = new Map<string, Promise<Buffer>>();

    /** Unwraps a data key once for all concurrent calls, because its key-encryption key may be kept by a slow provider. */
    async function unwrapped({ id, account, kek, wrapped }: DataKeyRow): Promise<DataKey> {
        const known = kept.get(id);
        if (known) return { id, key: known };
        const unwrapping =
            running.get(id) ?? encryption.unwrap({ kek, wrapped }, account).then((plain) => kept.put(id, plain));
        running.set(id, unwrapping);
        return { id, key: await unwrapping.finally(() => running.delete(id)) };
    }

    async function created(account: string | null, context: CallContext): Promise<DataKey> {
        const plain = newKey();
        try {
            const now = clock();
            const row = { id: newId(now), account, created_at: new Date(now).toISOString() };
            await store.insertDataKey({ ...row, ...(await encryption.wrap(plain, account)) }, context);
            return { id: row.id, key: kept.put(row.id, Buffer.from(plain)) };
        } finally {
            wipeSecret(plain);
        }
    }

    return {
        /** The newest one of the account, or a new one. */
        async ofAccount(account: string | null, context: CallContext): Promise<DataKey> {
            const row = await store.dataKeyOf(account, context);
            return row ? unwrapped(row) : created(account, context);
        },
        async find(id: string, context: CallContext): Promise<Buffer | undefined> {
            const known = kept.get(id);
            if (known) return known;
            const row = await store.findDataKey(id, context);
            if (row?.abandoned_at) throw new AppError('conflict', KEY_IS_LOST);
            return row && (await unwrapped(row)).key;
        },
    };
}

/** The unwrapped data keys, by id, in memory that is not swapped. */
function keptKeys() {
    const keys = new Map<string, Buffer>();
    const drop = (id: string): void => {
        const key = keys.get(id);
        if (key) wipeSecret(key);
        keys.delete(id);
    };
    return {
        get: (id: string) => keys.get(id),
        /** Keeps the key and wipes `plain`. */
        put(id: string, plain: Uint8Array): Buffer {
            const known = keys.get(id);
            if (known) {
                wipeSecret(plain);
                return known;
            }
            for (const oldest of keys.keys()) {
                if (keys.size < MAX_KEPT) break;
                drop(oldest);
            }
            const key = moveToSecureMemory(plain);
            keys.set(id, key);
            const end = () => {
                if (keys.get(id) === key) drop(id); // not the key that has taken its place
            };
            setTimeout(end, KEEP_MS).unref();
            return key;
        },
    };
}

/** Seals with the data key `to` what `from` seals. Undefined: it was changed or moved, or another key seals it. */
export function reseal(
    sealed: Uint8Array,
    { from, to }: { from: Uint8Array; to: Uint8Array },
    binding: Binding,
): Buffer | undefined {
    const associated = associatedData(binding);
    const plain = unsealAs(sealed, from, associated);
    if (!plain) return undefined;
    const again = sealAs(plain, to, associated);
    wipeSecret(plain);
    return again;
}

function associatedData(binding: Binding): Buffer {
    const { account } = binding;
    const parts =
        'kid' in binding
            ? ['seed', account ?? NIL_ID, binding.issuer, binding.kid]
            : ['webhook secret', account, binding.webhook, binding.secret];
    return Buffer.from(parts.join('\n'));
}
