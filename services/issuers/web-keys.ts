import { type CallContext, withoutIdempotencyKey } from '../../platform/context.ts';
import type { ServiceOf } from '../../platform/rpc/definition.ts';
import type { SigningServiceDefinition } from '../../proto/gen/signing/v1/signing.ts';
import { type IssuerKids, kidFault } from '../../tokens/web-did.ts';
import { leases } from './leases.ts';

/** Knows the keys of this service's did:web issuers. A process asks for those of an issuer once in each lease. */
export interface WebKeys {
    /** Returns the keys of a did:web issuer; undefined if there is no such issuer here. */
    find(did: string, context: CallContext): Promise<IssuerKids | undefined>;
    /**
     * Returns why the signature of an opened token does not count; undefined if it does. A token of a did:key has no
     * `kid`, and opening it was enough.
     */
    fault(signer: { did: string; kid: string | undefined }, context: CallContext): Promise<string | undefined>;
}

export function webKeys(signing: Pick<ServiceOf<typeof SigningServiceDefinition>, 'getKeys'>): WebKeys {
    const known = leases<IssuerKids>();

    function find(did: string, context: CallContext): Promise<IssuerKids | undefined> {
        return known.find(did, async () => {
            const { issuers } = await signing.getKeys({ dids: [did] }, withoutIdempotencyKey(context));
            return issuers[0];
        });
    }

    return {
        find,
        async fault({ did, kid }, context) {
            return kid === undefined ? undefined : kidFault(kid, await find(did, context));
        },
    };
}
