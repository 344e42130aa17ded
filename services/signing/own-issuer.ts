import type { CallContext } from '../../platform/context.ts';
import { AppError } from '../../platform/errors.ts';
import { type KeyPair, keyPairFrom, sign } from '../../workers/crypto/ed25519.ts';
import { newIssuer } from './create.ts';
import type { SigningDependencies } from './dependencies.ts';

/** The name of the issuer that is the service itself. */
const OWN_NAME = 'status lists of this service';

export interface OwnIssuer {
    did(context: CallContext): Promise<string>;
    /** Lets `use` have the key, which is wiped then. Fails if it cannot be read. */
    withKey<Result>(did: string, use: (key: KeyPair) => Result, context: CallContext): Promise<Result>;
}

/**
 * The service's own issuer, a did:key that is created when it is first needed. It signs status lists and the checkpoints
 * of the audit. Neither can be taken for the other: a list that is signed has no newline, and a checkpoint has three.
 */
export function ownIssuer(deps: SigningDependencies): OwnIssuer {
    async function createOwn(context: CallContext): Promise<string | undefined> {
        const created = await newIssuer(
            deps,
            { account: null, name: OWN_NAME, method: 'key', alg: 'EdDSA' } as const,
            context,
        );
        return deps.store.ownIssuer(created, context);
    }

    return {
        async did(context) {
            const did = (await deps.store.findOwnIssuer(context)) ?? (await createOwn(context));
            if (did !== undefined) return did;
            const text = 'The key of the service has just been given up.';
            throw new AppError('unavailable', text, { retry_after: 1, reason: 'own_key' });
        },
        async withKey(did, use, context) {
            const [row] = await deps.store.ownSigner(did, context);
            const seed = row && (await deps.seals.open(row, { account: null, issuer: row.id, kid: row.kid }, context));
            const pair = seed && keyPairFrom(seed);
            if (!pair) throw new AppError('internal', 'The key of the service cannot be read.');
            try {
                return use(pair);
            } finally {
                seed.fill(0);
            }
        },
    };
}

/** Refuses calls that are not made by the service itself. */
export function refuseOthers({ trusted, user_id }: CallContext, what: string): void {
    if (!trusted || user_id !== undefined) throw new AppError('forbidden', `Only the service itself signs ${what}.`);
}

export function signedBy({ seed, public_key }: KeyPair, message: Uint8Array): Uint8Array {
    return sign(message, seed, public_key);
}
