import type { KeyObject } from 'node:crypto';
import type { CallContext } from '../../platform/context.ts';
import { AppError } from '../../platform/errors.ts';
import type { KeyAlgorithm } from '../../proto/key-algorithms.ts';
import { type P256Secret, signingKeyOf } from '../../workers/crypto/es256.ts';
import { wipeSecret } from '../../workers/crypto/secure-memory.ts';
import { leases } from '../issuers/leases.ts';
import type { Seals } from './data-keys.ts';
import type { SignerRow, SigningStore } from './rows.ts';

/** A key that may sign now. */
export interface Signer<Alg extends KeyAlgorithm = KeyAlgorithm> {
    /** NULL is the service itself. */
    account: string | null;
    method: SignerRow['method'];
    kid: string;
    alg: Alg;
    secretKey: SecretKeys[Alg];
}

interface SecretKeys {
    /** A seed. It is wiped when the lease ends, so it must be used at once. */
    EdDSA: Buffer;
    /** It has no bytes here. Nobody can wipe it before its memory is collected. */
    ES256: KeyObject;
}

export interface Signers {
    /**
     * Returns the active key of the account's issuer for the first of these algorithms (default: EdDSA) for which there is
     * one; with `kid` that key, if it is not compromised. Throws AppError `not_found` if the account has no such issuer,
     * and `conflict` if the issuer signs no more.
     */
    find<Alg extends KeyAlgorithm = 'EdDSA'>(named: NamedSigner<Alg>, context: CallContext): Promise<Signer<Alg>>;
    /**
     * Like `find`, for the status lists of an issuer of any account. An archived issuer signs them, too: what it has issued
     * stays valid, and can be revoked.
     */
    findForList(named: NamedSigner, context: CallContext): Promise<Signer>;
}

interface NamedSigner<Alg extends KeyAlgorithm = KeyAlgorithm> {
    did: string;
    kid?: string | undefined;
    algs?: readonly Alg[];
}

/** PASETO tokens are signed with such a key. */
const EDDSA = ['EdDSA'] as const;
const KEY_IS_COMPROMISED = 'The key that has signed this is compromised, so it signs nothing again.';

/** Finds signing keys. A process reads and opens the key of an issuer once in each lease. */
export function signers({ store, seals }: { store: SigningStore; seals: Seals }): Signers {
    const known = leases<Signer>(forget);

    async function read(named: NamedSigner, context: CallContext): Promise<Signer> {
        const rows = (await store.signer(named.did, context)).filter(({ account }) => account === context.user_id);
        if (rows.some(({ archived_at }) => archived_at !== null)) {
            throw new AppError('conflict', 'This issuer is archived, so it signs no more.');
        }
        return opened(rows, named, context);
    }

    async function opened(rows: readonly SignerRow[], named: NamedSigner, context: CallContext): Promise<Signer> {
        const key = usableKey(rows, named);
        const { id: issuer, account, method, kid, alg } = key;
        const secretKey = readyToSign(alg, await seals.open(key, { account, issuer, kid }, context));
        return { account, method, kid, alg, secretKey };
    }

    return {
        async find<Alg extends KeyAlgorithm>(named: NamedSigner<Alg>, context: CallContext) {
            const signer = await known.find(nameOf(named), () => read(named, context));
            if (!signer || signer.account !== context.user_id) throw notFound();
            return signer as Signer<Alg>; // usableKey() has found one for these algorithms
        },
        async findForList(named, context) {
            const readAny = async () => opened(await store.signer(named.did, context), named, context);
            const signer = await known.find(`list ${nameOf(named)}`, readAny);
            if (!signer) throw notFound();
            return signer;
        },
    };
}

/** The row of the key that signs, among those of its issuer. */
function usableKey(rows: readonly SignerRow[], { kid, algs = EDDSA }: NamedSigner): SignerRow {
    if (rows.length === 0) throw notFound();
    const usable = rows.filter(
        (key) => key.compromised_at === null && (kid === undefined ? key.retired_at === null : key.kid === kid),
    );
    const key = algs.map((alg) => usable.find((one) => one.alg === alg)).find((one) => one !== undefined);
    if (!key) throw new AppError('conflict', kid === undefined ? noActiveKey(rows, algs) : KEY_IS_COMPROMISED);
    return key;
}

/** Returns the key as the signature threads take it: a seed as it is, a secret of P-256 as a KeyObject. Wipes the latter. */
function readyToSign(alg: KeyAlgorithm, secret: Buffer): Buffer | KeyObject {
    if (alg !== 'ES256') return secret;
    try {
        return signingKeyOf(secret as Uint8Array as P256Secret); // its algorithm says so
    } finally {
        wipeSecret(secret);
    }
}

function forget({ secretKey }: Signer): void {
    if (Buffer.isBuffer(secretKey)) wipeSecret(secretKey);
}

/** Names what was read: the same name has the same signer for a lease. */
function nameOf({ did, kid, algs }: NamedSigner): string {
    const key = kid === undefined ? did : `${did}#${kid}`;
    return algs === undefined ? key : `${key} ${algs}`;
}

/** A rotation makes a key of an algorithm that the issuer never had only if it is asked to. */
function noActiveKey(rows: readonly SignerRow[], algs: readonly KeyAlgorithm[]): string {
    const isNew = !rows.some(({ alg }) => algs.includes(alg));
    return `This issuer has no active ${algs.join(' or ')} key. Rotate it${isNew ? ` with alg ${algs[0]}` : ''} first.`;
}

/** An issuer of another account gets the same answer as one that does not exist. */
function notFound(): AppError {
    return new AppError('not_found', 'This account has no issuer with this DID.');
}
