import type { CallContext } from '../../platform/context.ts';
import { AppError } from '../../platform/errors.ts';
import { wipeSecret } from '../../workers/crypto/secure-memory.ts';
import { leases } from '../issuers/leases.ts';
import type { Seeds } from './data-keys.ts';
import type { SignerRow, SigningStore } from './rows.ts';

/** A key that may sign now. */
export interface Signer {
    /** NULL is the service itself. */
    account: string | null;
    method: SignerRow['method'];
    kid: string;
    /** It is wiped when the lease ends, so it must be used at once. */
    seed: Buffer;
}

export interface Signers {
    /**
     * Returns the active key of the account's issuer; with `kid` that key, if it is not compromised. Throws AppError
     * `not_found` if the account has no such issuer or key, and `conflict` if the issuer signs no more.
     */
    find(named: { did: string; kid?: string | undefined }, context: CallContext): Promise<Signer>;
}

const NO_ACTIVE_KEY = 'This issuer has no active key. Rotate it first.';
const KEY_IS_COMPROMISED = 'The key that has signed this is compromised, so it signs nothing again.';

/** Finds signing keys. A process reads and opens the key of an issuer once in each lease. */
export function signers({ store, seeds }: { store: SigningStore; seeds: Seeds }): Signers {
    const known = leases<Signer>(({ seed }) => wipeSecret(seed));

    async function read(did: string, kid: string | undefined, context: CallContext): Promise<Signer> {
        const rows = (await store.signer(did, context)).filter(({ account }) => account === context.user_id);
        const [row] = rows;
        if (!row) throw notFound();
        if (row.archived_at !== null) throw new AppError('conflict', 'This issuer is archived, so it signs no more.');
        const isUsable = (key: SignerRow) =>
            key.compromised_at === null && (kid === undefined ? key.retired_at === null : key.kid === kid);
        const key = rows.find(isUsable);
        if (!key) throw new AppError('conflict', kid === undefined ? NO_ACTIVE_KEY : KEY_IS_COMPROMISED);
        const { id: issuer, account, method } = key;
        return {
            account,
            method,
            kid: key.kid,
            seed: await seeds.open(key, { account, issuer, kid: key.kid }, context),
        };
    }

    return {
        async find({ did, kid }, context) {
            const name = kid === undefined ? did : `${did}#${kid}`;
            const signer = await known.find(name, () => read(did, kid, context));
            if (!signer || signer.account !== context.user_id) throw notFound();
            return signer;
        },
    };
}

/** An issuer of another account gets the same answer as one that does not exist. */
function notFound(): AppError {
    return new AppError('not_found', 'This account has no issuer with this DID.');
}
