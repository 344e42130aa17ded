import { NODATA } from 'node:dns';
import type { Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import type { Reachable } from './addresses.ts';

/** Maximum number of addresses of a name to which a delivery tries to connect. Beyond it: the others are not tried. */
const MOST_ADDRESSES = 4;

/** What looks names up. */
export type NameResolver = Pick<Resolver, 'resolve4' | 'resolve6'>;

/** An address of the name is not public. */
export class AddressRefused extends Error {}

/**
 * The look-up of a socket, which connects to the returned addresses and asks no second time. So a DNS server that changes
 * its answers gains nothing. All addresses of the name must be reachable: a name that has others, too, is a trick or a
 * mistake.
 *
 * It asks DNS only. dns.lookup would hold one of the four threads of the process for as long as a server takes, and it
 * reads the names of /etc/hosts.
 */
export function judgedLookup(resolver: NameResolver, isReachable: Reachable): LookupFunction {
    return (host, _options, found) => {
        addressesOf(resolver, host).then(
            (all) => {
                if (!all.every(({ address }) => isReachable(address))) found(new AddressRefused(), []);
                else found(null, all.slice(0, MOST_ADDRESSES));
            },
            (error) => found(error, []),
        );
    };
}

/** The addresses of IPv4 come first. Rejects if there is none. */
async function addressesOf(resolver: NameResolver, host: string) {
    const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const all = found.flatMap((answer, index) =>
        answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family: index === 0 ? 4 : 6 })) : [],
    );
    if (all.length > 0) return all;
    const [first] = found;
    // An answer that has only an alias is no error for the resolver, and Node cannot connect to no address at all.
    throw first.status === 'rejected' ? first.reason : Object.assign(new Error('no address'), { code: NODATA });
}
