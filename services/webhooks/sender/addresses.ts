import { isIP } from 'node:net';
import { networkList, readNetwork, unmapped } from '../../../platform/access/networks.ts';
import { ConfigError } from '../../../platform/process/config.ts';

/**
 * Networks that are not public: private, loopback, link-local, shared (CGNAT), unspecified, for documentation, benchmarks,
 * protocols and groups, reserved and broadcast (the registries of IANA for special purposes). Of IPv6 only 2000::/3 is
 * public: what is outside of it may stand for an address of IPv4 (mapped, 64:ff9b::/96, 64:ff9b:1::/48), and so may
 * 2001::/23 (Teredo) and 2002::/16 (6to4).
 */
const NOT_PUBLIC =
    '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3 ::/3 4000::/2 8000::/1 2001::/23 2001:db8::/32 2002::/16 3fff::/20';

const isSpecial = networkList(NOT_PUBLIC.split(' '));

/** Decides whether the service may connect to an IP address. */
export type Reachable = (address: string) => boolean;

/**
 * Public addresses, and those in `allowedNetworks`, which the setting WEBHOOK_NETWORKS has. Throws ConfigError for an entry
 * that would match no address, or others than it seems to.
 */
export function reachableAddresses(allowedNetworks: readonly string[]): Reachable {
    const isAllowed = networkList(allowedNetworks.map((text, index) => readNetwork(text) ?? refuseEntry(index + 1)));
    // An address that is mapped or has a zone is not its own plain form.
    const isPublic: Reachable = (address) =>
        isIP(address) !== 0 && unmapped(address) === address && !isSpecial(address);
    return (address) => isAllowed(address) || isPublic(address);
}

function refuseEntry(number: number): never {
    throw new ConfigError(
        `WEBHOOK_NETWORKS: entry ${number} must be a network such as 10.1.0.0/16 or fd00::/8, without bits after the prefix, without a zone, and not IPv4-mapped IPv6.`,
    );
}
